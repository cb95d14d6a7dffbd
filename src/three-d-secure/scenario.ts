import type { SimulatedOutcome } from '../connectors/three-d-secure-server.ts'
import type { ScenarioConditions, ScenarioOutcome } from './scenario.schema.ts'

/** Every condition, null where it asks nothing. A card number is masked. */
export type AllConditions = Required<ScenarioConditions>

/** A scenario as it is matched. */
export interface Scenario {
  id: string
  conditions: AllConditions
  /** Of the card number among the conditions; null where there is none. */
  card_fingerprint: string | null
  outcome: ScenarioOutcome
}

/** What of a transaction decides which scenario is played. */
export interface PaymentForScenario {
  amount: number
  /** Of the card (`payment_method.fingerprint`); null: not known. */
  fingerprint: string | null
  buyer: {
    external_identifier?: string | null
    billing_details?: { first_name?: string | null; last_name?: string | null; email_address?: string | null } | null
  } | null
}

export const withAllConditions = (given: ScenarioConditions): AllConditions => ({
  first_name: given.first_name ?? null,
  last_name: given.last_name ?? null,
  email_address: given.email_address ?? null,
  amount: given.amount ?? null,
  external_identifier: given.external_identifier ?? null,
  card_number: given.card_number ?? null,
})

const cardNumber = /^\d{13,19}$/

/** What a scenario does wrong, by JSON pointer (SEMANTICS §7.3). Empty: nothing. `knownNumber`: the masked number that it has, and that may be sent back to keep it. */
export function scenarioProblems(
  { conditions, outcome }: { conditions?: ScenarioConditions | null; outcome?: ScenarioOutcome | null },
  knownNumber: string | null = null,
): Record<string, string> {
  const number = conditions?.card_number ?? null
  const isEmpty = conditions && Object.values(conditions).every((value) => value === null)
  return {
    ...(isEmpty && { '/conditions': 'must have at least one condition' }),
    ...(number !== null && number !== knownNumber && !cardNumber.test(number) && { '/conditions/card_number': 'must be 13 to 19 digits' }),
    ...(outcome?.authentication.transaction_status === 'C' && !outcome.result && { '/outcome/result': 'is required where authentication is C' }),
  }
}

/** The scenario whose conditions all hold; of several the one with the most, then the first, which is the newest (SEMANTICS §7.3). Undefined: none. */
export function bestScenario<S extends Scenario>(newestFirst: readonly S[], payment: PaymentForScenario): S | undefined {
  const actual = valuesOf(payment)
  const holding = newestFirst.flatMap((scenario) => {
    const asked = Object.entries(conditionsOf(scenario)).filter(([, value]) => value !== null)
    return asked.every(([name, value]) => actual.get(name) === value) ? [{ scenario, asked: asked.length }] : []
  })
  return holding.sort((a, b) => b.asked - a.asked)[0]?.scenario
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

/** What the sandbox's issuers are told to answer. */
export const simulatedOutcome = ({ outcome: { version, authentication, result } }: Pick<Scenario, 'outcome'>): SimulatedOutcome => ({
  version: version ?? null,
  authentication: authentication.transaction_status,
  result: result?.transaction_status ?? null,
})
