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
import { capturedInAll, paidInAll, refundedInAll } from './counted-money.ts'

const bodyOf = ({ body }: FastifyRequest): Record<string, unknown> => (isJsonObject(body) ? body : {})

const amountOf = (request: FastifyRequest): number | undefined => {
  const { amount } = bodyOf(request)
  return typeof amount === 'number' ? amount : undefined
}

/** The transaction of the path, with the members on which a decision depends. */
async function transactionTarget(
  world: World,
  { account, params }: FastifyRequest,
  moneyOf: (row: TransactionRow) => { amount: number; countedBefore?: number },
): Promise<ApprovalTarget> {
  const { transaction_id = '' } = params as { transaction_id?: string }
  const id = canonicalId(transaction_id)
  const row = await readTransaction(world, account, id)
  const { amount, countedBefore } = moneyOf(row)
  return {
    resource: { type: 'transaction', id },
    money: { amount, currency: row.currency } satisfies Money,
    ...(countedBefore !== undefined && { countedBefore }),
    preconditions: {
      status: row.status,
      amount: row.amount,
      currency: row.currency,
      authorized_amount: row.authorized_amount,
      captured_amount: row.captured_amount,
      refunded_amount: refundedInAll(row),
      disputed: row.disputed,
      disputed_amount: row.disputed_amount ?? null,
    },
  }
}

/**
 * A refund. All refunds of the transaction count together, so that a refund cannot be split into parts that
 * need no approval. Without an amount, it may be everything that is left.
 */
export const refundApproval: ApprovalTerms = {
  operations: (request) => (bodyOf(request)['force'] === true ? ['refund', 'forced_refund'] : ['refund']),
  target: (world, request) =>
    transactionTarget(world, request, (row) => {
      const countedBefore = refundedInAll(row)
      return { amount: amountOf(request) ?? paidInAll(row) - countedBefore, countedBefore }
    }),
}

/** A void, and a cancellation, which releases money before it was authorized. */
export const releaseApproval: ApprovalTerms = {
  operations: () => ['void'],
  target: (world, request) =>
    transactionTarget(world, request, ({ authorized_amount, amount }) => ({
      amount: authorized_amount || amount,
    })),
}

/** A capture. The captures of the transaction count together, as its refunds do. */
export const captureApproval: ApprovalTerms = {
  operations: () => ['capture'],
  target: (world, request) =>
    transactionTarget(world, request, (row) => {
      const countedBefore = capturedInAll(row)
      return { amount: amountOf(request) ?? row.authorized_amount - countedBefore, countedBefore }
    }),
}

const correctedAmounts = ({ body }: FastifyRequest): number[] => {
  const { amount, authorized_amount, captured_amount } = body as TransactionUpdate
  return [amount, authorized_amount, captured_amount].filter((each) => typeof each === 'number')
}

const shownInCorrections = ['status', 'amount', 'authorized_amount', 'captured_amount']

/** A correction of amounts or of the status. The other members may tell of a buyer, and are masked. */
export const correctionApproval: ApprovalTerms = {
  // the route has checked the body
  operations: ({ body }) => (correctsMoney(body as TransactionUpdate) ? ['correction'] : []),
  target: (world, request) =>
    transactionTarget(world, request, ({ amount, authorized_amount, captured_amount }) => ({
      amount: Math.max(amount, authorized_amount, captured_amount, ...correctedAmounts(request)),
    })),
  shownBody: (body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, shownInCorrections.includes(name) ? value : '***']),
    ),
}
