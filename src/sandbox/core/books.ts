import type { KeyObject } from 'node:crypto'
import {
  bookGiftCardOperation,
  type GiftCardBooks,
  type GiftCardEntry,
  openGiftCardBooks,
} from '../providers/gift-card/books.ts'
import { type AppendOnlyFile, openAppendOnlyFile } from './append-only-file.ts'
import { fingerprintSecret } from './fingerprint.ts'
import { approved, type Result, responseCodes, type SimulatedResult } from './operation.ts'
import {
  approvePending,
  bookOnPayment,
  openPayment,
  type Payment,
  type PaymentOpening,
  refusePending,
  releasePending,
} from './payment.ts'

/** A processed operation. */
export interface BookedOperation {
  payment_service_id: string
  fingerprint: string
  result: Result
  /** The caller has read that it is pending: the next lookup finds it final. */
  reported: boolean
  /** It ends the authorization. */
  final?: boolean
}

/** The entries that change the books. The file is a list of them, and the books are their sum. */
export type BookEntry =
  | {
      entry: 'operation'
      payment_service_id: string
      fingerprint: string
      result: Result
      final?: boolean
      opening?: PaymentOpening
    }
  | { entry: 'attempt'; key: string }
  | { entry: 'reported'; key: string }
  | { entry: 'settled'; key: string; at: string }
  | { entry: 'refused'; key: string; at: string; verdict: SimulatedResult }
  | { entry: 'expired'; payment: string; at: string }
  | { entry: 'closed'; key: string; at: string }
  | { entry: 'document'; id: string; document: unknown }
  | GiftCardEntry

/**
 * The provider's books, which are the truth about its money. Keys are UUIDs, so all payment services share
 * one key space.
 */
export interface Books {
  operations: Map<string, BookedOperation>
  payments: Map<string, Payment>
  giftCards: GiftCardBooks
  /** Keys that must never be processed. */
  closed: Set<string>
  /** The providers' other documents, such as orders and sessions, in their latest version. */
  documents: Map<string, unknown>
  /** How often a request with each key was processed, repetitions included. */
  attempts: Map<string, number>
  secret: KeyObject
  file: AppendOnlyFile | null
}

/** Opens books in memory, or reloads them from `file` and writes to it. */
export function openBooks(file: string | undefined, fsync: boolean): Books {
  const books: Books = {
    operations: new Map(),
    payments: new Map(),
    giftCards: openGiftCardBooks(),
    closed: new Set(),
    documents: new Map(),
    attempts: new Map(),
    secret: fingerprintSecret(file),
    file: null,
  }
  if (file) books.file = openAppendOnlyFile<BookEntry>(file, fsync, (entry) => apply(books, entry))
  return books
}

/** Writes the entry to the file and then applies it: an entry that the file refuses did not happen. */
export function record(books: Books, entry: BookEntry): void {
  books.file?.append(entry)
  apply(books, entry)
}

function apply(books: Books, entry: BookEntry): void {
  switch (entry.entry) {
    case 'operation':
      bookOperation(books, entry)
      break
    case 'attempt':
      countAttempt(books, entry.key)
      break
    case 'reported': {
      const booked = books.operations.get(entry.key)
      if (booked) booked.reported = true
      break
    }
    case 'settled':
      bookApproval(books, entry.key, entry.at)
      break
    case 'refused':
      bookRefusal(books, entry)
      break
    case 'expired':
      bookExpiry(books, entry)
      break
    case 'closed':
      books.closed.add(entry.key)
      break
    case 'document':
      books.documents.set(entry.id, entry.document)
      break
    case 'gift-card-operation':
      countAttempt(books, entry.result.key)
      bookGiftCardOperation(books.giftCards, entry)
  }
}

function countAttempt(books: Books, key: string): void {
  books.attempts.set(key, (books.attempts.get(key) ?? 0) + 1)
}

function bookOperation(books: Books, entry: Extract<BookEntry, { entry: 'operation' }>): void {
  const { payment_service_id, fingerprint, result, opening } = entry
  countAttempt(books, result.key)
  books.operations.set(result.key, {
    payment_service_id,
    fingerprint,
    result,
    reported: false,
    ...(entry.final && { final: true }),
  })
  if (opening) books.payments.set(result.payment_id, openPayment(payment_service_id, result, opening))
  const payment = books.payments.get(result.payment_id)
  if (!payment) return
  bookOnPayment(payment, result, entry.final ?? false)
  if (result.kind === 'cancel' && result.status === 'approved') cancelOpening(books, payment)
}

function cancelOpening(books: Books, payment: Payment): void {
  const booked = books.operations.get(payment.opened_by)
  if (!booked) return
  releasePending(payment, booked.result.kind, booked.result.amount)
  payment.authorization = 'failed'
  booked.result = {
    ...booked.result,
    ...responseCodes({ status: 'failed', code: 'canceled' }),
    authorization_expires_at: null,
  }
}

function bookApproval(books: Books, key: string, at: string): void {
  const booked = books.operations.get(key)
  const payment = booked && books.payments.get(booked.result.payment_id)
  if (!payment) return
  approvePending(payment, booked.result)
  booked.result = { ...booked.result, ...responseCodes(approved), processed_at: at }
}

/** Books the refusal of a pending operation, which leaves nothing on the payment. */
function bookRefusal(books: Books, { key, at, verdict }: Extract<BookEntry, { entry: 'refused' }>): void {
  const booked = books.operations.get(key)
  const payment = booked && books.payments.get(booked.result.payment_id)
  if (!payment) return
  refusePending(payment, booked.result, verdict.status)
  booked.result = {
    ...booked.result,
    ...responseCodes(verdict),
    authorization_expires_at: null,
    processed_at: at,
  }
  // the authorization that the refused operation would have ended continues, unless another operation has
  // ended it
  if (booked.final)
    payment.final = [...books.operations.values()].some(
      (other) => other.final && isApprovedOrPending(other) && other.result.payment_id === payment.payment_id,
    )
}

const isApprovedOrPending = ({ result: { status } }: BookedOperation) =>
  status === 'approved' || status === 'pending'

function bookExpiry(books: Books, { payment: id, at }: Extract<BookEntry, { entry: 'expired' }>): void {
  const payment = books.payments.get(id)
  const opening = payment && books.operations.get(payment.opened_by)
  if (!opening) return
  payment.authorization_expires_at = at
  opening.result = { ...opening.result, authorization_expires_at: at }
}
