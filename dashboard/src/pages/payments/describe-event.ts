import type { Refund, TransactionEvent } from '@railyard/client'
import { formatAmount } from '../../format/amount.ts'
import { readable } from '../../format/names.ts'
import type { Tone } from '../../parts/values/tag.tsx'
import { timelineWords as words } from '../../words/payments/timeline.ts'
import { refundLooks } from '../refunds/refund-status.ts'

export interface EventText {
  title: string
  text?: string | undefined
  tone: Tone
}

type Context = Record<string, unknown>
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
const spaced = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text && readable(text)
}

/** An entry of the timeline in words that a support agent would use. Unknown names are shown as they are. */
export function describeEvent({ name, context }: TransactionEvent): EventText {
  const service =
    textOf(context['payment_service_display_name']) ??
    textOf(context['anti_fraud_service_name']) ??
    textOf(context['gift_card_service_name']) ??
    words.theService
  const known = words.events[name as keyof typeof words.events]
  if (!known) return { title: spaced(name) ?? name, tone: toneOf(name), text: reasonOf(context) }
  return { title: known(service), text: reasonOf(context), tone: toneOf(name, context) }
}

/** A refund as an entry of the timeline, which has none of its own for refunds to the payment method. */
export function describeRefund({ amount, currency, status, reason, error_code }: Refund): EventText {
  const [outcome = readable(status), tone = 'quiet'] = refundLooks[status] ?? []
  return {
    title: words.refund(formatAmount(amount, currency)),
    text: [outcome, spaced(error_code), reason].filter(Boolean).join(' · '),
    tone,
  }
}

function reasonOf(context: Context): string | undefined {
  const status = spaced(context['status'])
  const before = spaced(context['previous_status'])
  if (status && before) return `${before} → ${status}`
  const code = spaced(context['code'])
  const answer = textOf(context['raw_response_description'])
  const parts = [
    code,
    spaced(context['decision']),
    spaced(context['reason']),
    answer && readable(answer) !== code && answer,
    textOf(context['url']) &&
      `${textOf(context['method']) ?? ''} ${textOf(context['url'])} ${textOf(context['response_status_code']) ?? ''}`.trim(),
  ]
  return parts.filter(Boolean).join(' · ') || status
}

function toneOf(name: string, context: Context = {}): Tone {
  if (/failed|declined|error|chargeback-posted|dispute/.test(name)) return 'bad'
  if (/skipped|pending/.test(name)) return 'warn'
  if (context['success'] === false) return 'warn'
  if (/succeeded|settled|success|reversal-posted/.test(name)) return 'good'
  if (/request/.test(name)) return 'info'
  return 'quiet'
}
