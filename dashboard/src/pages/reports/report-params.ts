import { reportWords as words } from '../../words/finance/reports.ts'

export type Span = keyof (typeof words)['spans']
export type FilterName = keyof (typeof words)['filterNames']
export type Schedule = 'once' | 'daily' | 'weekly' | 'monthly'
export type Model =
  | 'transactions'
  | 'transaction_retries'
  | 'detailed_settlement'
  | 'accounts_receivables'
  | 'ai_insights'

/** What a person has entered about the content of a report. */
export interface Draft {
  fields: readonly string[]
  /** Which time of a payment counts. */
  time: keyof (typeof words)['times']
  span: Span
  /** In UTC; empty: open. */
  from: string
  to: string
  /** As typed; empty: any. */
  filters: Partial<Record<FilterName, string>>
  sortField: string
  sortOrder: 'asc' | 'desc'
}

/** The filters of a report of payments, and how each is entered. */
export const paymentFilters: readonly {
  name: FilterName
  kind: 'list' | 'flag' | 'pairs'
  options?: readonly string[]
  hint?: string
}[] = [
  {
    name: 'status',
    kind: 'list',
    options: [
      'authorization_succeeded',
      'authorization_declined',
      'authorization_failed',
      'authorization_voided',
      'authorization_void_pending',
      'capture_succeeded',
      'capture_pending',
      'buyer_approval_pending',
      'processing',
    ],
  },
  { name: 'currency', kind: 'list', hint: 'EUR, USD' },
  { name: 'method', kind: 'list', hint: 'card, ideal' },
  { name: 'scheme', kind: 'list', hint: 'visa, mastercard' },
  {
    name: 'payment_source',
    kind: 'list',
    options: ['ecommerce', 'moto', 'recurring', 'installment', 'card_on_file'],
  },
  { name: 'three_d_secure_status', kind: 'list', hint: 'complete, declined' },
  { name: 'three_d_secure_eci', kind: 'list', hint: '05, 06' },
  { name: 'three_d_secure_auth_resp', kind: 'list', hint: 'Y, A' },
  { name: 'merchant_initiated', kind: 'flag' },
  { name: 'is_subsequent_payment', kind: 'flag' },
  { name: 'metadata', kind: 'pairs', hint: words.metadataHint },
]

const valuesOf = (typed: string): string[] =>
  typed
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean)

/** `shop=berlin, till=3` as objects of one pair each. */
const pairsOf = (typed: string): Record<string, string>[] =>
  valuesOf(typed).map((pair) => {
    const at = pair.indexOf('=')
    return at < 0 ? { [pair]: '' } : { [pair.slice(0, at).trim()]: pair.slice(at + 1).trim() }
  })

function filtersOf(typed: Draft['filters']): Record<string, unknown> {
  const filters: Record<string, unknown> = {}
  for (const { name, kind } of paymentFilters) {
    const text = typed[name]?.trim()
    if (!text) continue
    filters[name] = kind === 'flag' ? text === 'true' : kind === 'pairs' ? pairsOf(text) : valuesOf(text)
  }
  return filters
}

/** A window of a report. Null: all of them. */
export function windowOf({ span, from, to }: Draft): { start: string | null; end: string | null } | null {
  if (span === 'all') return null
  if (span === 'custom') return { start: from || null, end: to || null }
  return { start: `${span}_start`, end: `${span}_end` }
}

/** The members of `spec.params` (docs/guides/reports.md). */
export function paramsOf(model: Model, draft: Draft): Record<string, unknown> {
  const window = windowOf(draft)
  switch (model) {
    case 'transactions':
      return {
        fields: draft.fields,
        filters: { ...filtersOf(draft.filters), ...(window && { [draft.time]: window }) },
        ...(draft.sortField && { sort: [{ field: draft.sortField, order: draft.sortOrder }] }),
      }
    case 'transaction_retries':
      return { filters: { created_at: window } }
    case 'detailed_settlement':
      return { filters: { ingested_at: window } }
    case 'accounts_receivables':
      return { filters: { timestamp: window } }
    case 'ai_insights':
      return { filters: { prompt_key: 'payment_performance' } }
  }
}

const spanOfSchedule = { once: 'month', daily: 'day', weekly: 'week', monthly: 'month' } as const

/** The period that a report of this schedule mostly covers. */
export const usualSpan = (schedule: Schedule): Span => spanOfSchedule[schedule]
