import { exchangesOf, type OperationRow } from '../../src/operations/operation.ts'
import type { World } from '../../src/world.ts'

/** The first stored request to a payment service of each operation of a transaction or payout, oldest first. */
export async function recordedRequests(
  { run }: Pick<World, 'run'>,
  transaction: string,
): Promise<Record<string, unknown>[]> {
  const rows = await run<{ operation: OperationRow }>(
    'select row_to_json(o) as operation from operations o where transaction_id = $1 order by id',
    [transaction],
  )
  return rows.map(({ operation }) => exchangesOf(operation)[0]?.request as Record<string, unknown>)
}
