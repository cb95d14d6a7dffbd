import { expect, vi } from 'vitest'
import type { OperationRow } from '../../src/operations/operation.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import { checkedFirst, heldCards, oneAttemptAtATime, reviewsFollowed } from '../crash/steps.oracle.ts'
import { booksOf, expectBooksMatch } from './provider.ts'
import type { TestRailyard } from './railyard.ts'

/** An account's rows for the crash tests' oracle. */
async function stepsOf({ world }: TestRailyard, account: string) {
  const rows = <T>(table: string, more = '') =>
    world.run<{ row: T }>(
      `select row_to_json(t) as row from ${table} t where merchant_account_id = $1 ${more}`,
      [account],
    )
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
 * An account's payments went step by step: checks before the authorization were made once, payment services
 * were tried one after the other and none while another may have charged, no card is sealed without need; and
 * the amounts agree with the provider.
 */
export async function expectSteps(railyard: TestRailyard, account: string): Promise<void> {
  const ours = await stepsOf(railyard, account)
  expect([...oneAttemptAtATime(ours), ...checkedFirst(ours), ...reviewsFollowed(ours, new Set())]).toEqual([])
  // a process that gets another answer while the payment is decided elsewhere seals the card for a moment
  await vi.waitFor(async () => expect(heldCards(await stepsOf(railyard, account))).toEqual([]), {
    timeout: 20_000,
  })
  const { payments } = await booksOf(railyard)
  const charged = payments.flatMap(({ authorization, opened_by }) =>
    authorization === 'approved' ? (ours.operations.get(opened_by)?.transaction_id ?? []) : [],
  )
  expect(charged).toEqual([...new Set(charged)])
  await expectBooksMatch(railyard, account)
}

/** A cardholder who gets an error page tries again, and leaves after a while. */
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
