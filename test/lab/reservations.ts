import type { QueryResultRow } from 'pg'
import { intendFollowUp } from '../../src/operations/journal/functions/intend-follow-up.sql.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import type { World } from '../../src/world.ts'

/**
 * Checks each refund in the commit that reserves its money: only that moment shows the disputed amount that
 * applied.
 */
export function watchRefunds(world: World): { takeViolations(): string[] } {
  const { run } = world
  let violations: string[] = []
  const watched = async <Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    const rows = await run<Row>(sql, values)
    const row: TransactionRow | undefined =
      sql === intendFollowUp.refund.text ? rows[0]?.['transaction'] : undefined
    if (row) {
      const isForced = /"forced":\s*true/.test(
        JSON.stringify(values[intendFollowUp.refund.names.indexOf('operation')]).replaceAll('\\', ''),
      )
      const disputed = isForced ? 0 : (row.disputed_amount ?? 0)
      const left = row.captured_amount - row.refunded_amount - row.refund_reserved - disputed
      if (left < 0)
        violations.push(
          `refunds leave disputed money alone: ${row.id} is refunded ${-left} beyond what is captured and not disputed`,
        )
    }
    return rows
  }
  world.run = watched
  return {
    takeViolations() {
      const taken = violations
      violations = []
      return taken
    },
  }
}
