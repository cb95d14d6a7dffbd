import type { Books } from './books.ts'
import { type Findings, groupBy } from './oracle.ts'
import type { InstanceTables } from './read-tables.ts'

/**
 * Each payout is one operation, the amount that reached its card is the payout's, and no other card received money.
 */
export function samePayouts({ payouts, operations }: InstanceTables, { payments }: Books): Findings {
  const made = groupBy(operations.values(), ({ kind, transaction_id }) =>
    kind === 'payout' ? transaction_id : undefined,
  )
  const paid = new Map(payments.values().map(({ opened_by, paid_out }) => [opened_by, paid_out]))
  const strangers = [...paid].filter(([key, amount]) => amount > 0 && operations.get(key)?.kind !== 'payout')
  return [
    ...strangers.map(([key, amount]) => `${amount} were paid out as ${key}, which is none in the journal`),
    ...[...payouts.values()].flatMap(({ id, status, amount }) => {
      const own = made.get(id) ?? []
      const left = own.reduce((sum, operation) => sum + (paid.get(operation.id) ?? 0), 0)
      const right = own.length === 1 && status !== 'pending' && left === (status === 'succeeded' ? amount : 0)
      return right
        ? []
        : [`payout ${id} (${status}) of ${amount} has ${own.length} operations, and ${left} have left`]
    }),
  ]
}
