import { type Static, Type } from 'typebox'
import { Closed, Nullable, Words } from '../../api/schema.ts'
import { Method } from '../../connectors/contract/method.schema.ts'
import type { FlowAction } from '../action.schema.ts'
import { RequiredFieldsChoice } from './required-fields.schema.ts'

const ServiceId = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

export const RouteAttempt = Closed('FlowRouteAttempt', {
  payment_service_id: ServiceId,
  /** Null: the best instrument available. */
  instrument: Type.Optional(Nullable(Words('pan', 'network_token', 'service_token'))),
})
export type RouteAttempt = Static<typeof RouteAttempt>

const attempts = Type.Array(RouteAttempt, { minItems: 1, maxItems: 20 })

/**
 * The payment services to try, in order: either `attempts`, or several lists of attempts with a share of the
 * payments each.
 */
export const RouteOutcome = Closed('FlowRouteOutcome', {
  attempts: Type.Optional(attempts),
  split: Type.Optional(
    Type.Array(Closed('FlowRouteShare', { percent: Type.Number({ minimum: 0, maximum: 100 }), attempts }), {
      minItems: 1,
      maxItems: 10,
    }),
  ),
  retries: Type.Optional(
    Closed('FlowRouteRetries', {
      /** Absent: every retriable refusal. */
      on: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 50 })),
      /** The number of attempts after the first; absent: one for each payment service. */
      maximum: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    }),
  ),
})
export type RouteOutcome = Static<typeof RouteOutcome>

/** The error code of a payment that a rule declined (semantics §3.10). */
export type FlowCode = `flow_${string}`

export const DeclineOutcome = Closed('FlowDeclineOutcome', {
  error_code: Type.Optional(
    Type.Unsafe<FlowCode>({ type: 'string', pattern: '^flow_[a-z0-9_]+$', maxLength: 255 }),
  ),
})
export type DeclineOutcome = Static<typeof DeclineOutcome>

export const SkipOutcome = Closed('FlowSkipOutcome', {})

/**
 * The payment options that a buyer sees, in this order (absent: all), and the fields that a card form
 * requires.
 */
export const OptionsOutcome = Closed('FlowOptionsOutcome', {
  methods: Type.Optional(Type.Array(Method, { minItems: 1, maxItems: 125, uniqueItems: true })),
  required_fields: Type.Optional(RequiredFieldsChoice),
})
export type OptionsOutcome = Static<typeof OptionsOutcome>

/** The outcome of each action. */
export const outcomes = {
  'route-transaction': RouteOutcome,
  'decline-early': DeclineOutcome,
  'skip-3ds': SkipOutcome,
  'select-payment-options': OptionsOutcome,
} as const satisfies Record<FlowAction, unknown>
