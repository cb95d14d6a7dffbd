import { isGiftCardKind, type OperationRow } from '../../../src/operations/operation.ts'
import type { TransactionRow } from '../../../src/transactions/transaction.row.ts'

/** What the gift card provider has booked: the truth about what cards paid. */
export interface GiftCardProviderBooks {
  operations: {
    key: string
    kind: string
    status: 'approved' | 'refused'
    amount: number
    payment_service_id: string
  }[]
  redemptions: { id: string; amount: number; returned: number; payment_service_id: string }[]
}

/** Which statuses in the books agree with one of the journal. Null: the books do not know it. */
const agreeing: Partial<Record<OperationRow['status'], readonly (string | null)[]>> = {
  approved: ['approved'],
  declined: ['refused'],
  failed: ['refused', null],
}

/**
 * Everything in which what gift cards paid differs from the provider's books; empty when they are one. Every
 * operation must be decided.
 */
export function giftCardDifferences(
  transactions: Iterable<TransactionRow>,
  operations: Iterable<OperationRow>,
  books: GiftCardProviderBooks,
): string[] {
  const rows = [...transactions].flatMap((row) =>
    row.gift_cards ? [{ id: row.id, giftCards: row.gift_cards }] : [],
  )
  const services = new Set(rows.map(({ giftCards }) => giftCards.service.id))
  const journal = new Map(
    [...operations].filter(({ kind }) => isGiftCardKind(kind)).map((operation) => [operation.id, operation]),
  )
  const booked = new Map(books.operations.map((operation) => [operation.key, operation]))
  // what was activated, issued or taken otherwise is no part of a payment
  const ofPayments = books.operations.filter(
    ({ kind, payment_service_id }) => services.has(payment_service_id) && /redeem|reverse|refund/.test(kind),
  )
  return [
    ...ofPayments
      .filter(({ key }) => !journal.has(key))
      .map(
        ({ kind, key, status }) =>
          `gift card ${kind} ${key} is ${status} in the books and not in the journal`,
      ),
    ...[...journal.values()].flatMap((operation) => operationDifference(operation, booked.get(operation.id))),
    ...rows.flatMap(({ id, giftCards }) => redemptionDifferences(id, giftCards, books)),
  ]
}

function operationDifference(
  operation: OperationRow,
  booked: GiftCardProviderBooks['operations'][number] | undefined,
): string[] {
  const agrees = agreeing[operation.status]?.includes(booked?.status ?? null) ?? false
  if (agrees && (operation.status !== 'approved' || operation.effective_amount === booked?.amount)) return []
  return [
    `${operation.kind} ${operation.id} of ${operation.transaction_id}: the journal says ${operation.status} of ${operation.effective_amount}, the books ${booked?.status ?? 'absent'} of ${booked?.amount}`,
  ]
}

function redemptionDifferences(
  transaction: string,
  { redemptions }: NonNullable<TransactionRow['gift_cards']>,
  books: GiftCardProviderBooks,
): string[] {
  return redemptions.flatMap(({ id, status, amount, refunded, refund_reserved, reference, sealed }) => {
    const redemption = books.redemptions.find(({ id: key }) => key === reference)
    const stored = status === 'succeeded' ? [amount, refunded, refund_reserved] : [0, 0, 0]
    const booked = [redemption?.amount ?? 0, redemption?.returned ?? 0, 0]
    const what = `redemption ${id} of ${transaction} (${status})`
    return [
      ...(String(stored) === String(booked)
        ? []
        : [`${what}: paid, put back, reserved: ${stored} with us, ${booked} in the books`]),
      ...(status === 'created' || sealed === null ? [] : [`${what} still knows its card`]),
    ]
  })
}

/**
 * All or nothing (semantics §10): a payment that gift cards share took effect whole, or nothing of it is left
 * taken, but for what a provider has definitely refused to undo. `operations`: the payment's.
 */
export function halfDone(row: TransactionRow, operations: Iterable<OperationRow>): string[] {
  const redemptions = row.gift_cards?.redemptions ?? []
  const statuses = redemptions.map(({ status }) => status)
  const refused = (kind: OperationRow['kind']) =>
    [...operations].some(
      (operation) =>
        operation.kind === kind && (operation.status === 'declined' || operation.status === 'failed'),
    )
  const what = `transaction ${row.id} (${row.intent} ${row.status}, ${row.intent_outcome}, ${statuses})`
  if (row.intent_outcome === 'succeeded')
    return statuses.every((status) => status === 'succeeded')
      ? []
      : [`${what} succeeded without all its cards`]
  if (row.intent_outcome === 'pending') return [`${what} is not decided`]
  const taken = redemptions.filter(
    ({ status, amount, refunded, stuck }) => status === 'succeeded' && refunded < amount && !stuck,
  )
  const held =
    row.authorized_amount > 0 &&
    row.captured_amount === 0 &&
    row.status !== 'authorization_voided' &&
    !refused('void')
  const kept = row.captured_amount > row.refunded_amount && !refused('refund')
  return [
    ...(taken.length > 0 ? [`${what} has failed and keeps what gift cards paid`] : []),
    ...(held ? [`${what} has failed and still holds ${row.authorized_amount}`] : []),
    ...(kept ? [`${what} has failed and keeps ${row.captured_amount - row.refunded_amount}`] : []),
    ...(statuses.includes('created') ? [`${what} has failed and still asks for cards`] : []),
  ]
}
