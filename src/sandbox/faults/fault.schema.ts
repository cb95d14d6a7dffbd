import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Timestamp, Words } from '../../api/schema.ts'
import { operationKinds } from '../core/operation.ts'

/**
 * The operations that a fault can apply to: opening an order, the money operations of payments and gift
 * cards, look-ups, OAuth tokens, the pages that buyers see, a payment service's tokens for cards
 * (`tokenize`), answers to disputes (`dispute`), the schemes' token service (`network_token`, `cryptogram`), the account updater, an
 * anti-fraud service's checks (`screening`), and 3-D Secure (`versioning`, `authentication`,
 * `challenge_result`).
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
  'dispute',
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

/** Faults of a request and its answer; docs/reference/faults.md describes each. */
export const requestFaults = [
  'delay',
  'rate_limit',
  'decline',
  'error',
  'error_after',
  'reset',
  'lost',
  'timeout',
  'timeout_after',
  'outage',
  'malformed',
  'empty',
  'truncated',
  'slow_loris',
  'duplicate',
  'wrong_id',
  'wrong_amount',
] as const
export type RequestFault = (typeof requestFaults)[number]

/** Faults of the notifications that a payment service sends. */
export const notificationFaults = [
  'notification_lost',
  'notification_duplicate',
  'notification_late',
  'notification_reordered',
  'notification_forged',
] as const
export type NotificationFault = (typeof notificationFaults)[number]

export const FaultKind = Words(...requestFaults, ...notificationFaults)
export type FaultKind = Static<typeof FaultKind>

export const MAX_DELAY_MS = 60_000

const Milliseconds = Type.Integer({ minimum: 0, maximum: MAX_DELAY_MS })

/** Log-normal: half of the answers take up to `p50` milliseconds, 99 of 100 up to `p99`. */
export const Latency = Closed('Latency', { p50: Milliseconds, p99: Milliseconds })

/** The BIN, with as many digits as the books store. */
const Bin = Type.String({ pattern: '^\\d{6}$' })

const ahead = 'Counted from when the list is set: seconds, or a duration of ISO 8601 such as `PT10M`'
/** The longest time from now until a fault begins or ends, in seconds: 365 days. */
export const FURTHEST_S = 31_536_000
const Ahead = Type.Union([Type.Number({ minimum: 0, maximum: FURTHEST_S }), Type.String({ maxLength: 30 })])

/** The names that faults use for the schemes' services, which are no payment services. */
export const schemeProviderIds = {
  tokens: 'tokens',
  updater: 'updater',
  threeDSecure: 'three-d-secure',
} as const

/** A fault of the sandbox's providers. */
export const FaultItem = Closed('FaultItem', {
  /** Absent or null: any payment service. */
  payment_service_id: Type.Optional(Nullable(Type.String())),
  operation: FaultOperation,
  kind: FaultKind,
  delay_ms: Type.Optional(
    Described(
      Type.Union([Milliseconds, Latency]),
      'Needed by `delay`, for which it may be spread; how late a `notification_late` is (default 5000)',
    ),
  ),
  per_second: Type.Optional(
    Described(
      Type.Integer({ minimum: 0, maximum: 10_000 }),
      'Needed by `rate_limit`: how many requests a second it lets through; 0: none',
    ),
  ),
  bin_from: Type.Optional(
    Described(Bin, 'Strikes only what concerns cards that begin with `bin_from` to `bin_to`'),
  ),
  bin_to: Type.Optional(Described(Bin, 'Absent: the same as `bin_from`')),
  times: Type.Optional(Described(Type.Integer({ minimum: 1 }), 'How often it strikes; absent: always')),
  probability: Type.Optional(Described(Type.Number({ minimum: 0, maximum: 1 }), 'Absent: 1')),
  starts_at: Type.Optional(Timestamp),
  ends_at: Type.Optional(Timestamp),
  starts_in: Type.Optional(Described(Ahead, ahead)),
  ends_in: Type.Optional(Described(Ahead, ahead)),
})
export type FaultItem = Static<typeof FaultItem>

export const FaultList = Closed('FaultList', {
  items: Type.Array(FaultItem, { maxItems: 1000 }),
  seed: Type.Optional(
    Described(
      Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }),
      'Where chance begins: the same requests in the same order meet the same faults; absent: drawn, and answered',
    ),
  ),
})
export type FaultList = Static<typeof FaultList>

/** The payment service whose faults a PUT replaces; absent: all. Every item names this payment service. */
export const FaultScope = Type.Object(
  { payment_service_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { additionalProperties: false },
)
