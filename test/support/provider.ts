import { expect, vi } from 'vitest'
import { isGiftCardKind, type OperationRow } from '../../src/operations/operation.ts'
import type { PayoutRow } from '../../src/payouts/payout.row.ts'
import type { Result } from '../../src/sandbox/core/operation.ts'
import type { Payment } from '../../src/sandbox/core/payment.ts'
import type { FaultItem } from '../../src/sandbox/faults/fault.schema.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import { verify } from '../../src/verify/verify.ts'
import { explorerDifferences } from './checks/explorer-differences.ts'
import { type GiftCardProviderBooks, giftCardDifferences } from './checks/gift-card-differences.ts'
import { card, type TestRailyard } from './railyard.ts'

export interface ProviderBooks {
  operations: (Result & { payment_service_id: string })[]
  payments: Payment[]
  /** The number of processed requests by key, repetitions included. */
  attempts: Record<string, number>
  gift_cards: GiftCardProviderBooks
}

/** The provider's books, which are the truth about its money. */
export async function booksOf({ simulatorUrl }: TestRailyard): Promise<ProviderBooks> {
  return (await (await fetch(`${simulatorUrl}/books`)).json()) as ProviderBooks
}

/** Sets the provider's faults; without faults it works again. */
export async function injectFaults({ admin }: TestRailyard, ...items: FaultItem[]): Promise<void> {
  expect(await admin.put('/sandbox/faults', { items })).toMatchObject({ status: 200 })
}

const undecided = `select id from operations where status in ('queued', 'sent', 'unknown')`

/** Ends all faults and runs recovery until every lost outcome is found. */
export async function recoverFully(railyard: TestRailyard): Promise<void> {
  await injectFaults(railyard)
  await vi.waitFor(
    async () => {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      expect(await railyard.world.run(undecided, [])).toEqual([])
    },
    { timeout: 10_000, interval: 20 },
  )
}

/** The differences between an account's transactions and the provider's books; empty if they agree. */
export async function bookDifferences(railyard: TestRailyard, account: string): Promise<string[]> {
  const books = await booksOf(railyard)
  const { run } = railyard.world
  const transactions = (
    await run<{ row: TransactionRow }>(
      'select row_to_json(t) as row from transactions t where merchant_account_id = $1',
      [account],
    )
  ).map(({ row }) => row)
  const all = (
    await run<{ row: OperationRow }>(
      `select row_to_json(o) as row from operations o where merchant_account_id = $1 and kind not in ('screening', 'authentication', 'approval', 'correction')`,
      [account],
    )
  ).map(({ row }) => row)
  const operations = all.filter(({ kind }) => !isGiftCardKind(kind))
  const services = new Set(operations.map((operation) => operation.payment_service_id))
  const journal = new Map(operations.map((operation) => [operation.id, operation]))
  const booked = books.operations.filter((operation) => services.has(operation.payment_service_id))
  const known = new Set(booked.map(({ key }) => key))
  const payouts = (
    await run<{ row: PayoutRow }>(
      'select row_to_json(p) as row from payouts p where merchant_account_id = $1',
      [account],
    )
  ).map(({ row }) => row)
  // a cancellation of an unpaid order has nothing to book
  const paid = new Set(books.payments.map(({ opened_by }) => journal.get(opened_by)?.transaction_id))
  const mustBeBooked = ({ kind, transaction_id }: OperationRow) =>
    kind !== 'cancel' || paid.has(transaction_id)
  // a cancellation that arrived just after the approval has released the authorization: no money is held
  const released = new Set(
    books.payments
      .filter(({ voided, captured }) => voided && captured === 0)
      .map(({ opened_by }) => opened_by),
  )
  const wasCanceled = (key: string) => journal.get(key)?.error_code === 'canceled' && released.has(key)
  return [
    ...giftCardDifferences(transactions, all, books.gift_cards),
    ...booked
      .filter(({ key }) => !wasCanceled(key))
      .flatMap((result) => operationDifference(result, journal.get(result.key))),
    ...operations
      .filter(
        (operation) => operation.status === 'approved' && !known.has(operation.id) && mustBeBooked(operation),
      )
      .map(({ kind, id }) => `${kind} ${id} is in no books`),
    ...payouts.flatMap((payout) => payoutDifference(payout, all, books)),
    ...transactions.flatMap((transaction) =>
      paymentDifferences(
        transaction,
        books.payments.filter(({ opened_by }) => !wasCanceled(opened_by)),
      ),
    ),
  ]
}

const operationDifference = (result: Result, operation: OperationRow | undefined): string[] =>
  operation?.status === result.status &&
  (result.status !== 'approved' || operation.effective_amount === result.amount)
    ? []
    : [
        `${result.kind} ${result.key}: the journal says ${operation?.status} of ${operation?.effective_amount}, the books ${result.status} of ${result.amount}`,
      ]

/** A payout's amount in the books is the payout's own, under one key. */
function payoutDifference(
  payout: PayoutRow,
  all: readonly OperationRow[],
  { payments, operations }: ProviderBooks,
): string[] {
  const keys = all.filter(({ transaction_id }) => transaction_id === payout.id).map(({ id }) => id)
  const paidOut = payments
    .filter(({ opened_by }) => keys.includes(opened_by))
    .reduce((sum, { paid_out }) => sum + paid_out, 0)
  const owed = payout.status === 'succeeded' ? payout.amount : 0
  const reference = operations.find(({ key }) => keys.includes(key))?.id ?? null
  const same =
    keys.length === 1 &&
    paidOut === owed &&
    (payout.status === 'pending' || payout.payment_service_payout_id === reference)
  return same
    ? []
    : [
        `payout ${payout.id} (${payout.status}) of ${owed} by ${keys.length} operations, the books ${paidOut} as ${reference}`,
      ]
}

function paymentDifferences(row: TransactionRow, payments: Payment[]): string[] {
  const payment = payments.find(({ payment_id }) => payment_id === row.payment_service_transaction_id)
  const stored = {
    authorized: row.authorized_amount,
    captured: row.captured_amount,
    refunded: row.refunded_amount,
    voided: row.status === 'authorization_voided',
  }
  const booked = {
    authorized: payment?.authorized ?? 0,
    captured: payment?.captured ?? 0,
    refunded: payment?.refunded ?? 0,
    voided: payment?.voided ?? false,
  }
  return JSON.stringify(stored) === JSON.stringify(booked)
    ? []
    : [
        `${row.id} (${row.status}): the tables say ${JSON.stringify(stored)}, the books ${JSON.stringify(booked)}`,
      ]
}

/** The account's amounts agree with the provider's books, and the journal explains every amount. */
export async function expectBooksMatch(railyard: TestRailyard, account: string): Promise<void> {
  expect(await bookDifferences(railyard, account)).toEqual([])
  expect((await verify(railyard.world.run)).findings).toEqual([])
  expect(await explorerDifferences(railyard, account)).toEqual([])
}

/** A request of an operation that reaches the card provider late. Returns the status of its answer. */
export async function sendLate(
  { simulatorUrl }: Pick<TestRailyard, 'simulatorUrl'>,
  path: string,
  key: string,
  body: Record<string, unknown>,
): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-merchant-id': 'test', 'idempotency-key': key }
  const answer = await fetch(`${simulatorUrl}/card/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, card: { number: card.number, expiration_date: '12/35' } }),
  })
  return answer.status
}
