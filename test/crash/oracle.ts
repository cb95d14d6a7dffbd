import {
  isCheckKind,
  isGiftCardKind,
  isOpen,
  type OperationRow,
  type OperationStatus,
} from '../../src/operations/operation.ts'
import type { Payment } from '../../src/sandbox/core/payment.ts'
import { transitions } from '../../src/transactions/status.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import type { TransactionStatus } from '../../src/transactions/transaction.schema.ts'
import { giftCardDifferences, halfDone } from '../support/checks/gift-card-differences.ts'
import type { Books } from './books.ts'
import { isAcknowledged, isRefused, type Sent } from './client.ts'
import type { InstanceTables } from './read-tables.ts'

/** The invariants after any number of crashes. Each check returns its violations as text. */
export type Findings = string[]

export const groupBy = <T>(
  items: Iterable<T>,
  keyOf: (item: T) => string | null | undefined,
): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key == null) continue
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The keys that the payment service has closed: it processes none of them any more. */
const closedKeys = ({ entries }: Books): Set<string> =>
  new Set(entries.flatMap((entry) => (entry.entry === 'closed' ? [entry.key] : [])))

/** The payment service processed each key at most once, and no closed key. */
export function oneEffectPerKey(books: Books): Findings {
  const { entries } = books
  const processed = entries.flatMap((entry) =>
    entry.entry === 'operation' || entry.entry === 'gift-card-operation' ? [entry.result.key] : [],
  )
  const closed = closedKeys(books)
  const twice = [...groupBy(processed, (key) => key)].filter(([, group]) => group.length > 1)
  return [
    ...twice.map(([key, group]) => `operation ${key} has ${group.length} effects in the books`),
    ...processed
      .filter((key) => closed.has(key))
      .map((key) => `operation ${key} was processed although its key is closed`),
  ]
}

/** The statuses in the books that agree with each status of the journal. `null`: the books do not have it. */
const agreeing: Record<OperationStatus, readonly (string | null)[]> = {
  approved: ['approved'],
  declined: ['declined', 'failed'],
  failed: ['declined', 'failed', null],
  queued: [],
  sent: [],
  unknown: [],
  pending: [],
}

/** A cancellation that arrived just after the approval has released the authorization: no money is held. */
const wasReleased = (payment: Payment, tables: InstanceTables): boolean =>
  payment.voided &&
  payment.captured === 0 &&
  tables.operations.get(payment.opened_by)?.error_code === 'canceled'

/** Every operation has the same outcome with us and in the books. */
export function sameOperations(tables: InstanceTables, books: Books): Findings {
  const found: Findings = []
  const released = new Set(
    [...books.payments.values()].flatMap((payment) =>
      wasReleased(payment, tables) ? [payment.opened_by] : [],
    ),
  )
  const closed = closedKeys(books)
  for (const operation of tables.operations.values()) {
    const { id, kind, status, amount, effective_amount, transaction_id } = operation
    if (released.has(id)) continue
    // a review has rejected the payment while its buyer was at the payment service, where it was closed unpaid
    if (status === 'declined' && operation.error_code === 'suspected_fraud' && closed.has(id)) continue
    // neither approvals nor checks move money, so the books do not have them; gift cards have their own books
    if (kind === 'approval' || isCheckKind(kind) || isGiftCardKind(kind)) continue
    const booked = books.operations.get(id)
    if (!agreeing[status].includes(booked?.status ?? null))
      found.push(
        `${kind} ${id} of ${transaction_id} is ${status} with us, ${booked?.status ?? 'absent'} in the books`,
      )
    const effective = kind === 'void' ? booked?.amount : effective_amount
    if (status === 'approved' && booked && booked.amount !== effective)
      found.push(
        `${kind} ${id} of ${transaction_id}: ${effective} of ${amount} took effect with us, ${booked.amount} in the books`,
      )
  }
  for (const { key, kind, status } of books.operations.values()) {
    if (!tables.operations.has(key))
      found.push(`${kind} ${key} is ${status} in the books and none in the journal`)
  }
  return found
}

/** Every approved payment in the books is exactly one transaction with the same amounts, and the reverse. */
export function samePayments(tables: InstanceTables, books: Books): Findings {
  const found: Findings = []
  const ofPayments = groupBy(
    books.payments.values(),
    ({ opened_by }) => tables.operations.get(opened_by)?.transaction_id,
  )
  for (const payment of books.payments.values()) {
    if (payment.authorization === 'approved' && !tables.operations.has(payment.opened_by))
      found.push(`payment ${payment.payment_id} is none in the journal`)
  }
  const none = { payment_id: null, authorized: 0, captured: 0, refunded: 0, voided: false }
  for (const row of tables.transactions.values()) {
    const approved = (ofPayments.get(row.id) ?? []).filter(
      (payment) => payment.authorization === 'approved' && !wasReleased(payment, tables),
    )
    if (approved.length > 1)
      found.push(`transaction ${row.id} has ${approved.length} approved authorizations in the books`)
    const payment = approved[0] ?? none
    const compared = [
      ['authorized', row.authorized_amount, payment.authorized],
      ['captured', row.captured_amount, payment.captured],
      ['refunded', row.refunded_amount, payment.refunded],
      ['voided', row.status === 'authorization_voided', payment.voided],
      ['reserved for captures', row.capture_reserved, 0],
      ['reserved for refunds', row.refund_reserved, 0],
    ] as const
    for (const [name, mine, booked] of compared) {
      if (mine !== booked)
        found.push(`transaction ${row.id} (${row.status}): ${name} ${mine} with us, ${booked} in the books`)
    }
    if (approved[0] && row.payment_service_transaction_id !== approved[0].payment_id)
      found.push(
        `transaction ${row.id} names the payment ${row.payment_service_transaction_id}, the books ${approved[0].payment_id}`,
      )
  }
  return found
}

/** The gift cards' amounts agree with their provider, and split payments are complete or undone. */
export function sharedPayments(tables: InstanceTables, books: Books): Findings {
  const operations = groupBy(tables.operations.values(), ({ transaction_id }) => transaction_id)
  const shared = [...tables.transactions.values()].filter((row) => row.gift_cards !== null)
  return [
    ...giftCardDifferences(tables.transactions.values(), tables.operations.values(), books.giftCards),
    ...shared.flatMap((row) => {
      const own = operations.get(row.id) ?? []
      // a buyer who never comes leaves it undecided
      return own.some(({ status }) => isOpen(status))
        ? []
        : [...halfDone(row, own), ...askedTwice(row.id, own)]
    }),
  ]
}

/** A card is redeemed once, and reversed at most once. */
const askedTwice = (transaction: string, operations: readonly OperationRow[]): Findings =>
  [
    ...groupBy(operations, ({ kind, input }) =>
      kind === 'redeem' || kind === 'reverse' ? `${kind} ${input.redemption}` : undefined,
    ),
  ]
    .filter(([, rows]) => rows.length > 1)
    .map(([what, rows]) => `${rows.length} operations ${what} of ${transaction}`)

/** A card that a payment stores exists exactly if its payment method has paid, and is not provisional. */
export function storedCards(tables: InstanceTables, log: readonly Sent[]): Findings {
  const wanted = new Set(log.filter(({ body }) => body['store'] === true).map(({ mark }) => mark))
  const paid = new Set(
    [...tables.operations.values()].flatMap(({ kind, status, transaction_id: id }) =>
      (kind === 'authorize' || kind === 'sale') && status === 'approved' ? [id] : [],
    ),
  )
  // until a cardholder has answered it is open whether the card is stored
  const decided = [...tables.transactions.values()].filter(
    ({ status }) => status !== 'buyer_approval_pending',
  )
  const named = decided.map((row) => ({ row, method: row.payment_method?.id ?? null }))
  const awaited = new Set(
    [...tables.transactions.values()].flatMap(({ status, payment_method: method }) =>
      status === 'buyer_approval_pending' ? (method?.id ?? []) : [],
    ),
  )
  return [
    ...[...tables.methods]
      .filter(([id, { provisional }]) => provisional && !awaited.has(id))
      .map(([id]) => `payment method ${id} is provisional`),
    ...named.flatMap(({ row, method }) =>
      method && !tables.methods.has(method)
        ? [`transaction ${row.id} names payment method ${method}, which is gone`]
        : [],
    ),
    ...named.flatMap(({ row, method }) =>
      wanted.has(row.external_identifier ?? '') && (method !== null) !== paid.has(row.id)
        ? [`transaction ${row.id} (${row.status}) was to store its card, which is ${method ?? 'not there'}`]
        : [],
    ),
  ]
}

/**
 * No payment service was left for it, or the remaining one required an authentication that was not possible.
 */
const wasRefusedUnasked = (
  { operations }: InstanceTables,
  { id, status, error_code: code }: TransactionRow,
) =>
  status === 'authorization_failed' &&
  (code === 'missing_redirect_url' || code === 'all_attempts_skipped') &&
  !operations.values().some((operation) => operation.transaction_id === id)

/** No request was executed twice, and no refused request was executed at all. */
export function oneEffectPerRequest(tables: InstanceTables, log: readonly Sent[]): Findings {
  const found: Findings = []
  const byMark = groupBy(tables.transactions.values(), (row) => row.external_identifier)
  const marked: Record<'create' | 'payout' | 'other', Map<string, unknown[]>> = {
    create: byMark,
    payout: groupBy(tables.payouts.values(), (row) => row.external_identifier),
    other: groupBy(tables.operations.values(), ({ input }) => input.external_identifier),
  }
  // an attempt at another payment service carries the key too, on the same transaction
  const byKey = groupBy(tables.operations.values(), (row) => row.idempotency_key)
  for (const sent of log) {
    const made =
      marked[sent.action === 'create' || sent.action === 'payout' ? sent.action : 'other'].get(sent.mark) ??
      []
    const keyed = sent.key ? (byKey.get(sent.key) ?? []) : []
    const transactions = new Set(keyed.map((row) => row.transaction_id))
    const what = `${sent.action} ${sent.mark} (key ${sent.key}, sent ${sent.tries} times)`
    if (
      made.length > 1 ||
      transactions.size > 1 ||
      (sent.action !== 'create' && sent.action !== 'refund-all' && keyed.length > 1)
    )
      found.push(`${what} was carried out more than once`)
    if (isRefused(sent) && made.length + keyed.length > 0)
      found.push(`${what} was carried out although it was answered ${sent.answer.text}`)
    if (
      isAcknowledged(sent) &&
      sent.key &&
      keyed.length === 0 &&
      !byMark.get(sent.mark)?.some((row) => wasRefusedUnasked(tables, row))
    )
      found.push(`${what} was acknowledged, and no operation has its key`)
  }
  const asked = groupBy(log, ({ action, transactionId }) => transactionId && `${action} of ${transactionId}`)
  const done = groupBy(
    tables.operations.values(),
    ({ kind, transaction_id }) => `${kind} of ${transaction_id}`,
  )
  for (const [name, rows] of done) {
    const [first] = rows
    if (
      !first ||
      first.kind === 'approval' ||
      isCheckKind(first.kind) ||
      first.kind === 'authorize' ||
      first.kind === 'sale'
    )
      continue
    // `sharedPayments` checks the creation's own gift card operations
    if (first.kind === 'redeem' || first.kind === 'reverse') continue
    // a payout is made by its creation, and `samePayouts` counts its operations
    if (first.kind === 'payout') continue
    const row = tables.transactions.get(first.transaction_id)
    const cards = row?.gift_cards?.redemptions.length ?? 0
    // the second step of a split capture is asked for by the creation
    const split =
      first.kind === 'capture' && tables.transactions.get(first.transaction_id)?.intent === 'capture' ? 1 : 0
    const ofEverything = asked.get(`refund-all of ${first.transaction_id}`)?.length ?? 0
    const refunds =
      first.kind === 'refund' ? ofEverything : first.kind === 'gift-card-refund' ? ofEverything * cards : 0
    // a payment that gift cards share gives back by itself what its method paid
    const undone =
      cards > 0 && row?.intent_outcome === 'failed' && (first.kind === 'void' || first.kind === 'refund')
        ? 1
        : 0
    // so does a person who rejects what was held for review, and may be of another mind where the payment
    // service did not void it
    const rejected = rows.some(({ input }) => input.rejected === true) ? 1 : 0
    const askedFor = first.kind === 'gift-card-refund' ? `refund of ${first.transaction_id}` : name
    const requests = (asked.get(askedFor)?.length ?? 0) + split + refunds + undone + rejected
    if (rows.length > requests) {
      const which = rows
        .map(
          ({ id, status, error_code, idempotency_key: key }) =>
            `${id} ${status} ${error_code ?? ''} (key ${key})`,
        )
        .join(', ')
      found.push(
        `${rows.length} operations ${name}, ${requests} were asked for: ${which}; the payment: ${JSON.stringify(row)}`,
      )
    }
  }
  return found
}

/** Every status that can follow this one, itself included. */
function reachable(from: TransactionStatus, seen = new Set<TransactionStatus>()): Set<TransactionStatus> {
  if (seen.has(from)) return seen
  seen.add(from)
  for (const to of transitions[from]) reachable(to, seen)
  return seen
}

/** A transaction as it was acknowledged, and as the API returns it at the end. */
export interface Shown {
  id: string
  status: TransactionStatus
  authorized_amount: number
  captured_amount: number
  refunded_amount: number
}

/** An acknowledged transaction still exists and has not gone back. */
export function transactionKept(then: Shown, now: Shown | undefined): Findings {
  if (!now) return [`transaction ${then.id} was acknowledged and is gone`]
  const lost = (['authorized_amount', 'captured_amount', 'refunded_amount'] as const).filter(
    (name) => now[name] < then[name],
  )
  return [
    ...(reachable(then.status).has(now.status)
      ? []
      : [`transaction ${then.id} was acknowledged as ${then.status} and is ${now.status}`]),
    ...lost.map(
      (name) => `transaction ${then.id}: ${name} was acknowledged as ${then[name]} and is ${now[name]}`,
    ),
  ]
}

/** A status that is not final may have changed; a final one has not. */
export function statusKept(what: string, then: string, now: string | undefined): Findings {
  const mayChange = then === 'pending' || then === 'processing'
  return now === then || (mayChange && now !== undefined)
    ? []
    : [`${what} was acknowledged as ${then} and is ${now ?? 'gone'}`]
}
