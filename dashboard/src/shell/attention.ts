import type { Attention } from '@railyard/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { useLoad } from '../api/use-api.ts'

/** Where the counted work is done: the keys of the navigation (`nav.attention`). */
const counted = {
  approvals: ['proposals'],
  payments: ['unknown_operations'],
  disputes: ['disputes'],
  fraud: ['open_reviews'],
  'payment-services': ['open_circuits'],
  reconciliation: ['unmatched_report_lines'],
  monitoring: ['monitoring_incidents', 'hosted_page_incidents'],
  webhooks: ['failed_webhook_deliveries'],
} as const satisfies Record<string, readonly (keyof Attention)[]>

export type AttentionKey = keyof typeof counted

type Counted = (typeof counted)[AttentionKey][number]

/** What waits for a person, as it is counted now. */
export const useAttentionCounts = (): UseQueryResult<Attention> =>
  useLoad(['attention'], (api, signal) => api.attention.get({ signal }), { refresh: 30_000 })

/** How much work of these kinds waits for a person, as text; undefined where nothing waits. */
export function useWaiting(): (members: readonly Counted[]) => string | undefined {
  const { data } = useAttentionCounts()
  return (members) => {
    const counts = members.map((member) => data?.[member] as { count: number; more: boolean } | null)
    const sum = counts.reduce((total, each) => total + (each?.count ?? 0), 0)
    if (sum === 0) return undefined
    return counts.some((each) => each?.more) ? `${sum}+` : String(sum)
  }
}

/** The same by the keys of the navigation. */
export function useAttention(): Partial<Record<AttentionKey, string | undefined>> {
  const waiting = useWaiting()
  return Object.fromEntries(Object.entries(counted).map(([key, members]) => [key, waiting(members)]))
}
