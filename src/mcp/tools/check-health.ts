import { Type } from 'typebox'
import { Described } from '../../api/schema.ts'
import type { Attention } from '../../attention/attention.schema.ts'
import type { PaymentServicesHealth } from '../../payment-services/health/payment-service-health.schema.ts'
import { readPart } from '../call-api.ts'
import { Input, Output, reads, tool } from '../tool.ts'
import { marked } from '../untrusted.ts'

const Part = Type.Union([Type.Unknown(), Type.Null()])

export const checkHealth = tool({
  name: 'check_health',
  title: 'Check the health',
  description:
    'The state of each payment service (its circuit, failures and latency of the last minute), open incidents of watched metrics, and counts of what waits for a person: disputes, reviews, unknown outcomes, unmatched report lines, failed webhooks.',
  input: Input({}),
  output: Output({
    summary: Type.Array(Type.String()),
    payment_services: Part,
    waits_for_people: Part,
    incidents: Part,
    left_out: Described(Type.Array(Type.String()), 'What could not be read, and why'),
  }),
  annotations: reads,
  scopes: [
    'payment-services.read',
    'transactions.read',
    'monitoring.read',
    'reports.read',
    'webhook-subscriptions.read',
  ],
  async run(_, { call }) {
    const left_out: string[] = []
    const [health, attention, incidents] = await Promise.all([
      readPart<PaymentServicesHealth>(call, left_out, 'payment services', '/payment-service-health', {
        limit: 100,
      }),
      readPart<Attention>(call, left_out, 'what waits for people', '/attention'),
      readPart<{ items: unknown[] }>(call, left_out, 'incidents', '/monitoring/incidents', { limit: 20 }),
    ])
    return {
      summary: [
        ...(health?.items ?? [])
          .filter(({ state }) => state !== 'closed')
          .map(
            ({ payment_service_id, state, since }) =>
              `The circuit of the payment service ${payment_service_id} is ${state} since ${since}: payments go elsewhere where they can.`,
          ),
        ...(health?.items.every(({ state }) => state === 'closed')
          ? ['Every payment service gets payments.']
          : []),
        ...(attention ? waiting(attention) : []),
      ],
      payment_services: marked(health?.items ?? null),
      waits_for_people: marked(attention),
      incidents: marked(incidents?.items ?? null),
      left_out,
    }
  },
})

const waits = {
  unknown_operations: 'operations have no known outcome; Railyard looks for it',
  disputes: 'disputes need an answer',
  open_reviews: 'payments wait for a review',
  unmatched_report_lines: 'lines of settlement reports match no payment',
  failed_webhook_deliveries: 'webhooks could not be delivered',
  monitoring_incidents: 'incidents of watched metrics are open',
} as const satisfies Partial<Record<keyof Attention, string>>

const waiting = (attention: Attention): string[] =>
  (Object.keys(waits) as (keyof typeof waits)[]).flatMap((name) => {
    const counted = attention[name]
    return counted && counted.count > 0
      ? [`${counted.count}${counted.more ? ' or more' : ''} ${waits[name]}.`]
      : []
  })
