import type { SimulatedOutcome } from '../connectors/contract/three-d-secure-server.ts'
import type { ScenarioConditions, ScenarioOutcome } from './scenario.schema.ts'

/** Every condition; null: the scenario does not have it. A card number is masked. */
export type AllConditions = Required<ScenarioConditions>

/** A scenario as payments are compared with it. */
export interface Scenario {
  id: string
  conditions: AllConditions
  /** The fingerprint of the card number among the conditions; null: there is none. */
  card_fingerprint: string | null
  outcome: ScenarioOutcome
}

/** The data of a transaction that decide which scenario it gets. */
export interface PaymentForScenario {
  amount: number
  /** The card's (`payment_method.fingerprint`); null: not known. */
  fingerprint: string | null
  buyer: {
    external_identifier?: string | null
    billing_details?: {
      first_name?: string | null
      last_name?: string | null
      email_address?: string | null
    } | null
  } | null
}

export const withAllConditions = (input: ScenarioConditions): AllConditions => ({
  first_name: input.first_name ?? null,
  last_name: input.last_name ?? null,
  email_address: input.email_address ?? null,
  amount: input.amount ?? null,
  external_identifier: input.external_identifier ?? null,
  card_number: input.card_number ?? null,
})

const cardNumber = /^\d{13,19}$/

/**
 * What is wrong with a scenario, by JSON pointer (semantics §7.3). Empty: nothing. `storedNumber`: its masked
 * number, which may be sent back to keep the card.
 */
export function scenarioProblems(
  { conditions, outcome }: { conditions?: ScenarioConditions | null; outcome?: ScenarioOutcome | null },
  storedNumber: string | null = null,
): Record<string, string> {
  const number = conditions?.card_number ?? null
  const isEmpty = conditions && Object.values(conditions).every((value) => value === null)
  return {
    ...(isEmpty && { '/conditions': 'must have at least one condition' }),
    ...(number !== null &&
      number !== storedNumber &&
      !cardNumber.test(number) && { '/conditions/card_number': 'must be 13 to 19 digits' }),
    ...(outcome?.authentication.transaction_status === 'C' &&
      !outcome.result && { '/outcome/result': 'is required where authentication is C' }),
  }
}

/**
 * The scenario whose conditions all hold; of several the one with the most conditions, then the first, which
 * is the newest (semantics §7.3). Undefined: none.
 */
export function bestScenario<S extends Scenario>(
  newestFirst: readonly S[],
  payment: PaymentForScenario,
): S | undefined {
  const actual = valuesOf(payment)
  const holding = newestFirst.flatMap((scenario) => {
    const wanted = Object.entries(conditionsOf(scenario)).filter(([, value]) => value !== null)
    return wanted.every(([name, value]) => actual.get(name) === value)
      ? [{ scenario, conditions: wanted.length }]
      : []
  })
  return holding.sort((a, b) => b.conditions - a.conditions)[0]?.scenario
}

const conditionsOf = ({ conditions, card_fingerprint }: Scenario) => ({
  ...conditions,
  email_address: conditions.email_address?.toLowerCase() ?? null,
  card_number: card_fingerprint,
})

const valuesOf = ({ amount, fingerprint, buyer }: PaymentForScenario) =>
  new Map<string, string | number | null | undefined>([
    ['amount', amount],
    ['card_number', fingerprint],
    ['first_name', buyer?.billing_details?.first_name],
    ['last_name', buyer?.billing_details?.last_name],
    ['email_address', buyer?.billing_details?.email_address?.toLowerCase()],
    ['external_identifier', buyer?.external_identifier],
  ])

/** The answers of the sandbox's issuers in this scenario. */
export const simulatedOutcome = ({
  outcome: { version, authentication, result },
}: Pick<Scenario, 'outcome'>): SimulatedOutcome => ({
  version: version ?? null,
  authentication: authentication.transaction_status,
  result: result?.transaction_status ?? null,
})
