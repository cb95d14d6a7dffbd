import { type Static, Type } from 'typebox'
import {
  Amount,
  Closed,
  Described,
  Erasable,
  Nullable,
  Page,
  Personal,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'

const condition = <T extends Parameters<typeof Nullable>[0]>(schema: T, meaning: string) =>
  Type.Optional(Nullable(Described(schema, meaning)))
const Something = Type.String({ minLength: 1 })

export const ScenarioConditions = Closed('ThreeDSecureScenarioConditions', {
  first_name: condition(Personal(Something), 'Of the buyer’s billing details'),
  last_name: condition(Personal(Something), 'Of the buyer’s billing details'),
  email_address: condition(Personal(Something), 'Of the buyer’s billing details, in capitals or not'),
  amount: condition(Amount, 'Of the transaction, in the smallest unit of its currency'),
  external_identifier: condition(Erasable(Something), 'Of the buyer'),
  card_number: condition(
    Something,
    'Of the card; answered with its first six and last four digits only, and kept only as a fingerprint',
  ),
})
export type ScenarioConditions = Static<typeof ScenarioConditions>

export const ScenarioOutcome = Closed('ThreeDSecureScenarioOutcome', {
  version: Type.Optional(Nullable(Type.String({ pattern: '^[12](\\.\\d+){0,2}$' }))),
  authentication: Closed('ThreeDSecureScenarioOutcomeAuthentication', {
    transaction_status: Described(
      Words('Y', 'N', 'A', 'R', 'U', 'C', 'timeout'),
      'What the card’s issuer answers; `C` asks for a challenge',
    ),
  }),
  result: Type.Optional(
    Nullable(
      Closed('ThreeDSecureScenarioOutcomeResult', {
        transaction_status: Described(Words('Y', 'N', 'timeout'), 'What becomes of the challenge'),
      }),
    ),
  ),
})
export type ScenarioOutcome = Static<typeof ScenarioOutcome>

export const ThreeDSScenario = Closed('ThreeDSecureScenario', {
  type: Type.Literal('three-d-secure-scenario'),
  id: Uuid,
  merchant_account_id: Type.String(),
  conditions: ScenarioConditions,
  outcome: ScenarioOutcome,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ThreeDSScenario = Static<typeof ThreeDSScenario>

export const ThreeDSScenarios = Page('ThreeDSecureScenarios', ThreeDSScenario)

export const ThreeDSScenarioCreate = Closed('ThreeDSecureScenarioCreate', {
  conditions: ScenarioConditions,
  outcome: ScenarioOutcome,
})
export type ThreeDSScenarioCreate = Static<typeof ThreeDSScenarioCreate>

/** Null is the same as absent: both members must have a value. */
export const ThreeDSScenarioUpdate = Closed('ThreeDSecureScenarioUpdate', {
  conditions: Type.Optional(Nullable(ScenarioConditions)),
  outcome: Type.Optional(Nullable(ScenarioOutcome)),
})
export type ThreeDSScenarioUpdate = Static<typeof ThreeDSScenarioUpdate>
