import type { ReactNode } from 'react'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { useLimitActions } from './limit-actions.tsx'
import { limitColumns } from './limit-columns.tsx'
import type { Subject } from './limit-form.tsx'

/** The limits of a key pair or a person, on its page; nothing for roles that do not read limits. */
export function LimitsCard({
  subject,
  accountIds,
}: {
  subject: Subject
  /** The merchant accounts that it may act on; empty: all. */
  accountIds: readonly string[]
}): ReactNode {
  const { account, may } = useSignedIn()
  const mayRead = may('spending-limits.read')
  const query = useLoad(
    ['spending-limits', 'of', subject.id],
    (api, signal) => every(api.spendingLimits.list({ subject_id: subject.id, limit: 100 }, { signal })),
    { enabled: mayRead, refresh: 10_000 },
  )
  const actions = useLimitActions(subject)
  const isHere = accountIds.length === 0 || accountIds.includes(account)
  if (!mayRead || !isHere) return null
  return (
    <Card title={words.title} aside={actions.set && <Button onClick={actions.set}>{words.set}</Button>}>
      <Loaded query={query} lines={2}>
        {(limits) => (
          <SmallTable
            label={words.title}
            columns={actions.column ? [...limitColumns, actions.column] : limitColumns}
            rows={limits}
            rowId={({ id }) => id}
            empty={words.noneOf[subject.type]}
          />
        )}
      </Loaded>
      {actions.dialogs}
    </Card>
  )
}
