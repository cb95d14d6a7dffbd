import { openDatabase } from '../../src/database/open-database.ts'
import type { OperationRow } from '../../src/operations/operation.ts'
import type { PayoutRow } from '../../src/payouts/payout.row.ts'
import { readSettings } from '../../src/settings.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'

/** The tables of the stopped instance. */
export interface InstanceTables {
  transactions: Map<string, TransactionRow>
  operations: Map<string, OperationRow>
  payouts: Map<string, PayoutRow>
  /** Stored payment methods: whether they are provisional. */
  methods: Map<string, { provisional: boolean }>
  /** The transactions with a sealed card. */
  held: string[]
}

export async function readTables(env: Record<string, string>): Promise<InstanceTables> {
  const database = await openDatabase(readSettings(env))
  try {
    const transactions = await database.run<{ row: TransactionRow }>(
      'select row_to_json(t) as row from transactions t',
      [],
    )
    const operations = await database.run<{ row: OperationRow }>(
      'select row_to_json(o) as row from operations o',
      [],
    )
    const payouts = await database.run<{ row: PayoutRow }>('select row_to_json(p) as row from payouts p', [])
    const methods = await database.run<{ id: string; provisional: boolean }>(
      'select id, provisional from payment_methods',
      [],
    )
    const held = await database.run<{ id: string }>('select id from held_instruments', [])
    return {
      held: held.map(({ id }) => id),
      methods: new Map(methods.map((method) => [method.id, method])),
      transactions: new Map(transactions.map(({ row }) => [row.id, row])),
      payouts: new Map(payouts.map(({ row }) => [row.id, row])),
      operations: new Map(operations.map(({ row }) => [row.id, row])),
    }
  } finally {
    await database.close()
  }
}
