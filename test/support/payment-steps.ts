import { expect, vi } from 'vitest'
import type { OperationRow } from '../../src/operations/operation.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import { checkedFirst, heldCards, oneAttemptAtATime, reviewsFollowed } from '../crash/steps.oracle.ts'
import { booksOf, expectBooksMatch } from './provider.ts'
import type { TestRailyard } from './railyard.ts'

/** What the crash tests' oracle looks at, of one account. */
async function stepsOf({ world }: TestRailyard, account: string) {
  const rows = <T>(table: string, more = '') =>
    world.run<{ row: T }>(`select row_to_json(t) as row from ${table} t where merchant_account_id = $1 ${more}`, [account])
  const [transactions, operations, held] = [
    await rows<TransactionRow>('transactions'),
    await rows<OperationRow>('operations'),
    await rows<{ id: string }>('held_instruments'),
  ]
  return {
    transactions: new Map(transactions.map(({ row }) => [row.id, row])),
    operations: new Map(operations.map(({ row }) => [row.id, row])),
    held: held.map(({ row }) => row.id),
  }
}

/**
 * An account's payments went their way step by step: who is asked before the money step was asked once, one payment service after the other and none while
 * another may have charged, no card is kept for nobody; and the money is where the provider says.
 */
export async function expectSteps(railyard: TestRailyard, account: string): Promise<void> {
  const ours = await stepsOf(railyard, account)
  expect([...oneAttemptAtATime(ours), ...checkedFirst(ours), ...reviewsFollowed(ours, new Set())]).toEqual([])
  // who hears from the payment service again while it is decided elsewhere holds the card for a moment, and lets it go
  await vi.waitFor(async () => expect(heldCards(await stepsOf(railyard, account))).toEqual([]), { timeout: 20_000 })
  const { payments } = await booksOf(railyard)
  const charged = payments.flatMap(({ authorization, opened_by }) =>
    authorization === 'approved' ? (ours.operations.get(opened_by)?.transaction_id ?? []) : [],
  )
  expect(charged).toEqual([...new Set(charged)])
  await expectBooksMatch(railyard, account)
}

/** A cardholder who meets an error page tries it again, and goes away after a while. */
export async function retryVisit(visit: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      await visit()
      return
    } catch {
      // once more
    }
  }
}
