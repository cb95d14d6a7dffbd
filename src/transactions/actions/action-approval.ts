import type { FastifyRequest } from 'fastify'
import type { ApprovalTerms } from '../../api/approval.ts'
import type { ApprovalTarget, Money } from '../../api/values/approval-target.ts'
import { isJsonObject } from '../../api/values/json-object.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionUpdate } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { correctsMoney } from './correct-transaction.ts'

const bodyOf = ({ body }: FastifyRequest): Record<string, unknown> => (isJsonObject(body) ? body : {})

const amountOf = (request: FastifyRequest): number | undefined => {
  const { amount } = bodyOf(request)
  return typeof amount === 'number' ? amount : undefined
}

/** The transaction of the path, with the members on which a decision depends. */
async function transactionTarget(
  world: World,
  { account, params }: FastifyRequest,
  money: (row: TransactionRow) => number,
): Promise<ApprovalTarget> {
  const { transaction_id = '' } = params as { transaction_id?: string }
  const id = canonicalId(transaction_id)
  const row = await readTransaction(world, account, id)
  return {
    resource: { type: 'transaction', id },
    money: { amount: money(row), currency: row.currency } satisfies Money,
    preconditions: {
      status: row.status,
      amount: row.amount,
      currency: row.currency,
      authorized_amount: row.authorized_amount,
      captured_amount: row.captured_amount,
      refunded_amount: row.refunded_amount + row.refund_reserved,
      disputed: row.disputed,
      disputed_amount: row.disputed_amount ?? null,
    },
  }
}

const givenBack = ({ refunded_amount, refund_reserved }: TransactionRow) => refunded_amount + refund_reserved

/**
 * A refund. Its money is that of all refunds of the transaction together, so that a refund cannot be split into
 * parts that need no approval. Without an amount, it may be everything.
 */
export const refundApproval: ApprovalTerms = {
  operations: (request) => (bodyOf(request)['force'] === true ? ['refund', 'forced_refund'] : ['refund']),
  target: (world, request) =>
    transactionTarget(world, request, (row) => {
      const amount = amountOf(request)
      return amount === undefined ? row.amount : givenBack(row) + amount
    }),
}

/** A void, and a cancellation, which releases money before it was authorized. */
export const releaseApproval: ApprovalTerms = {
  operations: () => ['void'],
  target: (world, request) =>
    transactionTarget(world, request, ({ authorized_amount, amount }) => authorized_amount || amount),
}

export const captureApproval: ApprovalTerms = {
  operations: () => ['capture'],
  target: (world, request) =>
    transactionTarget(
      world,
      request,
      ({ authorized_amount, captured_amount }) => amountOf(request) ?? authorized_amount - captured_amount,
    ),
}

const shownInCorrections = ['status', 'amount', 'authorized_amount', 'captured_amount']

/** A correction of amounts or of the status. The other members may tell of a buyer, and are masked. */
export const correctionApproval: ApprovalTerms = {
  // the route has checked the body
  operations: ({ body }) => (correctsMoney(body as TransactionUpdate) ? ['correction'] : []),
  target: (world, request) =>
    transactionTarget(world, request, ({ amount }) => Math.max(amount, amountOf(request) ?? 0)),
  shownBody: (body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, shownInCorrections.includes(name) ? value : '***']),
    ),
}
