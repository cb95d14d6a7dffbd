import { type Static, Type } from 'typebox'
import { Closed, Nullable, Timestamp, Words } from '../api/schema.ts'
import { operationKinds } from './operation.ts'

/**
 * What a fault can strike: opening an order, the money operations of payments and gift cards, the questions, OAuth tokens, the pages that buyers see, a payment
 * service's tokens for cards (`tokenize`), the schemes' token service (`network_token`, `cryptogram`), the account updater, and an anti-fraud
 * service's checks (`screening`).
 * service's tokens for cards (`tokenize`), the schemes' token service (`network_token`, `cryptogram`), the account updater, and 3-D Secure (`versioning`,
 * `authentication`, `challenge_result`).
 */
export const FaultOperation = Words(
  'approval',
  ...operationKinds,
  'redeem',
  'reverse',
  'activate',
  'issue',
  'balance',
  'tokenize',
  'network_token',
  'cryptogram',
  'account_update',
  'screening',
  'versioning',
  'authentication',
  'challenge_result',
  'find',
  'close',
  'account',
  'session',
  'token',
  'page',
  'report',
  '*',
)
export type FaultOperation = Static<typeof FaultOperation>

export const FaultKind = Words('delay', 'error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage')
export type FaultKind = Static<typeof FaultKind>

/** A way in which the sandbox's provider misbehaves (DESIGN §7). */
export const FaultItem = Closed('FaultItem', {
  /** Absent or null: any payment service. */
  payment_service_id: Type.Optional(Nullable(Type.String())),
  operation: FaultOperation,
  kind: FaultKind,
  /** Needed by, and only used by, `delay`. */
  delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  /** How often it strikes; absent: always. */
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Absent: 1. */
  probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  starts_at: Type.Optional(Timestamp),
  ends_at: Type.Optional(Timestamp),
})
export type FaultItem = Static<typeof FaultItem>

export const FaultList = Closed('FaultList', { items: Type.Array(FaultItem, { maxItems: 1000 }) })
export type FaultList = Static<typeof FaultList>

/** Whose faults a PUT replaces; absent: all. Its items name this payment service. */
export const FaultScope = Type.Object(
  { payment_service_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { additionalProperties: false },
)
