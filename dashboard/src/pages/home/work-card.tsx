import type { Attention } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatDistance } from '../../format/time.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { useAttentionCounts } from '../../shell/attention.ts'
import { homeWords } from '../../words/home.ts'

const words = homeWords.work

/** Work that waits, the page on which it is done, and the scope without which it is not counted. */
const work = [
  { member: 'proposals', to: 'approvals?waiting_for_me=true', scope: 'approvals.write' },
  { member: 'disputes', to: 'disputes', scope: 'disputes.read' },
  { member: 'open_reviews', to: 'payments?pending_review=true', scope: 'transactions.read' },
  {
    member: 'unknown_operations',
    to: 'payments?has_unknown_operations=true',
    scope: 'transactions.read',
  },
  { member: 'unmatched_report_lines', to: 'reconciliation', scope: 'reports.read' },
  { member: 'failed_webhook_deliveries', to: 'webhooks', scope: 'webhook-subscriptions.read' },
] as const satisfies { member: keyof Attention; to: string; scope: string }[]

export const workScopes: readonly string[] = work.map(({ scope }) => scope)

/** What waits for a person, with the way to it. */
export const WorkCard = (): ReactNode => (
  <Card title={words.title}>
    <Loaded query={useAttentionCounts()}>{(attention) => <WorkList attention={attention} />}</Loaded>
  </Card>
)

function WorkList({ attention }: { attention: Attention }): ReactNode {
  const waiting = work.flatMap(({ member, to }) => {
    const counted = attention[member]
    return counted && counted.count > 0 ? [{ member, to, ...counted }] : []
  })
  if (waiting.length === 0) return <p className="text-sm text-ink-3">{words.none}</p>
  const due = attention.disputes?.next_evidence_due_at
  return (
    <ul className="-my-2 divide-y divide-line">
      {waiting.map(({ member, to, count, more }) => {
        const [name, about] = words.members[member]
        return (
          <li key={member}>
            <Link to={to} className="group flex items-center gap-3 py-2 pointer-coarse:py-3">
              <span className="min-w-0">
                <span className="font-medium group-hover:underline">{name}</span>
                <span className="block text-sm text-ink-3">
                  {about}
                  {member === 'disputes' && due && `. ${words.due(formatDistance(due))}`}
                </span>
              </span>
              <span className="ml-auto">
                <Tag tone="warn">{more ? `${count}+` : count}</Tag>
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
