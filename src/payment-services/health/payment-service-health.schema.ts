import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Timestamp, Uuid, Words } from '../../api/schema.ts'

const Count = Type.Integer({ minimum: 0 })
const Milliseconds = Nullable(Type.Integer({ minimum: 0 }))

export const PaymentServiceCalls = Closed('PaymentServiceCalls', {
  seconds: Described(Type.Integer(), 'How far the counts reach back; they go on in steps of ten seconds'),
  calls: Described(Count, 'Calls that carried out an operation, of all processes'),
  failed: Described(
    Count,
    'Without an answer, or answered that the payment service cannot; declines are not failures',
  ),
  slow: Described(Count, 'Longer than a third of what payment services are given to answer'),
  failure_rate: Described(Nullable(Type.Number({ minimum: 0, maximum: 1 })), 'Null: no calls'),
  mean_ms: Described(Milliseconds, 'Mean latency; null: no calls'),
  p50_ms: Described(
    Milliseconds,
    'What half of the calls did not exceed, rounded up to the end of its class; null: no calls, or more than 30 s',
  ),
  p95_ms: Described(Milliseconds, 'What 95 % of the calls did not exceed, in the same way'),
})
export type PaymentServiceCalls = Static<typeof PaymentServiceCalls>

export const PaymentServiceHealth = Closed('PaymentServiceHealth', {
  type: Type.Literal('payment-service-health'),
  merchant_account_id: Type.String(),
  payment_service_id: Uuid,
  state: Described(
    Words('closed', 'open', 'half_open'),
    'Of its circuit. `closed`: payments are sent there. `open`: they go elsewhere, where they can. `half_open`: one payment at a time finds out whether it is well again',
  ),
  since: Described(Timestamp, 'When the state began'),
  next_probe_at: Described(
    Nullable(Timestamp),
    'When the next payment may find out whether it is well again; null: closed',
  ),
  window: PaymentServiceCalls,
})
export type PaymentServiceHealth = Static<typeof PaymentServiceHealth>

export const PaymentServicesHealth = Page('PaymentServicesHealth', PaymentServiceHealth)
export type PaymentServicesHealth = Static<typeof PaymentServicesHealth>
