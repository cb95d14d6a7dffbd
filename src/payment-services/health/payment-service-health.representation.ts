import { timestamp } from '../../database/timestamp.ts'
import { type CallBucket, latencyAt, WINDOW_MS, windowOf } from './call-window.ts'
import type { Circuit } from './circuit.ts'
import type { PaymentServiceCalls, PaymentServiceHealth } from './payment-service-health.schema.ts'

interface HealthView {
  account: string
  service: string
  circuit: Circuit
  buckets: readonly CallBucket[]
}

/** `since`: shown as the beginning of a circuit that was always closed, ISO 8601. */
export const showHealth = (
  { account, service, circuit, buckets }: HealthView,
  { now, since }: { now: number; since: string },
): PaymentServiceHealth => ({
  type: 'payment-service-health',
  merchant_account_id: account,
  payment_service_id: service,
  state: circuit.state,
  since: timestamp(Number.isFinite(circuit.since) ? new Date(circuit.since).toISOString() : since),
  next_probe_at: circuit.state === 'closed' ? null : timestamp(new Date(circuit.nextProbeAt).toISOString()),
  window: showCalls(windowOf(buckets, now)),
})

const showCalls = (window: CallBucket): PaymentServiceCalls => ({
  seconds: WINDOW_MS / 1_000,
  calls: window.calls,
  failed: window.failed,
  slow: window.slow,
  failure_rate: window.calls === 0 ? null : window.failed / window.calls,
  mean_ms: window.calls === 0 ? null : Math.round(window.totalMs / window.calls),
  p50_ms: latencyAt(window, 0.5),
  p95_ms: latencyAt(window, 0.95),
})
