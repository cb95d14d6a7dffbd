import type { SpendingLimit } from '@railyard/client'
import type { ReactNode } from 'react'
import { formatAmount } from '../../format/amount.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { memberWords as members } from '../../words/members.ts'
import { nameOperation } from '../approvals/proposal-status.ts'

/** The one that is limited, by name; one that was deleted by its id. */
export const nameSubject = ({ subject: { name, id } }: SpendingLimit): string => name || id

/** A limit as buttons and dialogs name it. */
export const nameLimit = (limit: SpendingLimit): string =>
  words.nameOf(nameOperation(limit.operation), limit.currency, nameSubject(limit))

/** What a limit is about, what it allows, and what is left of it. */
export const limitColumns: readonly Column<SpendingLimit>[] = [
  { id: 'operation', header: words.operation, cell: ({ operation }) => nameOperation(operation) },
  { id: 'currency', header: members.currency, wide: true, cell: ({ currency }) => currency },
  { id: 'limits', header: words.limits, cell: (limit) => <Lines of={describeLimits(limit)} /> },
  { id: 'left', header: words.left, cell: (limit) => <Lines of={describeLeft(limit)} /> },
]

const Lines = ({ of: lines }: { of: readonly string[] }): ReactNode => (
  <ul className="py-1">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
)

function describeLimits(limit: SpendingLimit): string[] {
  const { currency, per_operation, per_day, per_buyer_per_day, count_per_day } = limit
  const amount = (of: number | null, text: (amount: string) => string) =>
    of === null ? [] : [text(formatAmount(of, currency))]
  return [
    ...amount(per_operation, words.each),
    ...amount(per_day, words.aDay),
    ...amount(per_buyer_per_day, words.aDayForABuyer),
    ...(count_per_day === null ? [] : [words.countADay(count_per_day)]),
  ]
}

/** Of a limit that has no sum or number for a day, what was used. */
function describeLeft({ currency, today }: SpendingLimit): string[] {
  const { remaining, remaining_count, used } = today
  const left = [
    ...(remaining === null ? [] : [formatAmount(remaining, currency)]),
    ...(remaining_count === null ? [] : [words.leftCount(remaining_count)]),
  ]
  return left.length > 0 ? left : [words.used(formatAmount(used, currency))]
}
