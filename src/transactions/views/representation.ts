import { showIncrement } from '../actions/increment.representation.ts'
import { showCancel, showVoid } from '../actions/release.representation.ts'
import type { AnswerRows } from '../transaction.row.ts'
import { showTransactionCapture } from './capture.representation.ts'
import { showRefund } from './refund.representation.ts'
import { showTransaction } from './transaction.representation.ts'

interface Representation {
  status: 200 | 201
  body: (shown: Required<AnswerRows>) => unknown
}

const page = (items: unknown[]) => ({ items, limit: 20, next_cursor: null, previous_cursor: null })

/** Every form in which the outcome of a request is answered, by the name that is stored with its idempotency key. */
export const representations = {
  'created-transaction': { status: 201, body: ({ transaction }) => showTransaction(transaction) },
  transaction: { status: 200, body: ({ transaction }) => showTransaction(transaction) },
  'transaction-capture': { status: 200, body: showTransactionCapture },
  'transaction-void': { status: 200, body: showVoid },
  'transaction-cancel': { status: 200, body: showCancel },
  'transaction-increment': { status: 200, body: showIncrement },
  refund: { status: 201, body: ({ transaction, operation }) => showRefund(operation, transaction) },
  refunds: { status: 201, body: ({ transaction, operation }) => page([showRefund(operation, transaction)]) },
} as const satisfies Record<string, Representation>

export type RepresentationName = keyof typeof representations

export const isRepresentation = (name: string): name is RepresentationName => Object.hasOwn(representations, name)

export function represent(name: RepresentationName, { transaction, operation }: AnswerRows): { status: number; body: unknown } {
  const { status, body }: Representation = representations[name]
  // a transaction that no payment service could take has no operation, and is only ever shown as itself
  return { status, body: operation ? body({ transaction, operation }) : showTransaction(transaction) }
}
