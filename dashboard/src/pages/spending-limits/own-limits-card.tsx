import type { ReactNode } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { mayOpen } from '../../session/scopes.ts'
import { useSignedIn } from '../../session/signed-in.ts'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { limitColumns } from './limit-columns.tsx'

/** One of these opens a person's own limits. */
const scopes = ['spending-limits.read', 'transactions.read', 'transactions.write', 'payouts.write'] as const

/** The limits of the person who is signed in, with what is left of them; nothing for a person without a limit. */
export function OwnLimitsCard(): ReactNode {
  const { may } = useSignedIn()
  const query = useLoad(
    ['spending-limits', 'mine'],
    async (api, signal) => (await api.spendingLimits.mine.list({ signal }).page()).items,
    { enabled: mayOpen(may, scopes), refresh: 10_000 },
  )
  const limits = query.data ?? []
  if (limits.length === 0) return null
  return (
    <Card title={words.yours}>
      <p className="mb-2 text-sm text-ink-2">{words.yoursText}</p>
      <SmallTable label={words.yours} columns={limitColumns} rows={limits} rowId={({ id }) => id} empty="" />
    </Card>
  )
}
