import { showIncrement } from '../actions/increment.representation.ts'
import { showCancel, showVoid } from '../actions/release.representation.ts'
import type { AnswerRows } from '../transaction.row.ts'
import { showTransactionCapture } from './capture.representation.ts'
import { showRefund } from './refund.representation.ts'
import { singlePage } from './single-page.ts'
import { showTransaction } from './transaction.representation.ts'

interface Representation {
  status: 200 | 201
  body: (rows: Required<AnswerRows>) => unknown
}

/** Every form of an answer about a transaction, by the name that is stored with the idempotency key. */
export const representations = {
  'created-transaction': { status: 201, body: ({ transaction }) => showTransaction(transaction) },
  transaction: { status: 200, body: ({ transaction }) => showTransaction(transaction) },
  'transaction-capture': { status: 200, body: showTransactionCapture },
  'transaction-void': { status: 200, body: showVoid },
  'transaction-cancel': { status: 200, body: showCancel },
  'transaction-increment': { status: 200, body: showIncrement },
  refund: { status: 201, body: ({ transaction, operation }) => showRefund(operation, transaction) },
  refunds: {
    status: 201,
    body: ({ transaction, operation }) => singlePage([showRefund(operation, transaction)]),
  },
} as const satisfies Record<string, Representation>

export type RepresentationName = keyof typeof representations

export const isRepresentation = (name: string): name is RepresentationName =>
  Object.hasOwn(representations, name)

/** The status and the body of an answer. */
export function represent(
  name: RepresentationName,
  { transaction, operation }: AnswerRows,
): { status: number; body: unknown } {
  const { status, body }: Representation = representations[name]
  // a transaction that failed before its first operation has none, and is answered as a transaction
  return { status, body: operation ? body({ transaction, operation }) : showTransaction(transaction) }
}
