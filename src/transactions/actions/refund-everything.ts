import { ApiError, badRequest } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { findStoredRequest } from '../../database/idempotency-key.ts'
import { leftOfRedemption } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationInput } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { answerTransactionOnce, createClaim, type KeyedTransactionRequest } from '../idempotency.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import type { Refund } from '../views/refund.schema.ts'
import { addAnsweredParts } from './answered-parts.sql.ts'
import { leftToRefund } from './counted-money.ts'
import { executeAction, type RequestedAction } from './execute-action.ts'

/** What the request says of every part of the payment. */
export type FullRefundRequest = Pick<RequestedAction, 'account' | 'transactionId' | 'path' | 'body'> & {
  input: OperationInput
}

interface RefundPart {
  /** The same name whenever the client repeats the request. */
  name: string
  kind: 'refund' | 'gift-card-refund'
  input: OperationInput
  left: number
}

/**
 * Refunds everything that is left, of the payment method and of each gift card. Every part is a refund of its
 * own with its own claim on the idempotency key: a repeated request does the parts that are still to do, and
 * an idempotent replay gets the same answer. A part that cannot be refunded does not stop the others. Throws
 * 400 if nothing is left.
 */
export async function refundEverything(
  world: World,
  request: FullRefundRequest,
  key: string | undefined,
): Promise<Refund[]> {
  const { account, transactionId, path, body } = request
  const parts = refundParts(await readTransaction(world, account, transactionId), request.input)
  const whole: KeyedTransactionRequest = {
    account,
    scope: `POST ${path}`,
    key,
    body,
    representation: 'refund',
  }
  const answered = await readAnsweredParts(world, whole)
  const open = parts.filter(({ name, left }) =>
    answered ? answered.includes(name) : left > 0 || key !== undefined,
  )
  const refunds = new Map<string, Refund>()
  const problems: unknown[] = []
  const refundPart = async ({ name, kind, input, left }: RefundPart): Promise<void> => {
    const keyed: KeyedTransactionRequest = { ...whole, scope: `${whole.scope} ${name}` }
    try {
      const { body: refund } = await answerTransactionOnce(world, keyed, async (claim) => {
        if (left <= 0) throw nothingLeft()
        return executeAction(world, {
          account,
          transactionId,
          kind,
          amount: null,
          input,
          claim,
          path,
          body,
          allowance: () => 0,
        })
      })
      refunds.set(name, refund as Refund)
    } catch (error) {
      // 409: the operation is still under way, or the key belongs to another request
      if (!(error instanceof ApiError) || error.status === 409) throw error
      problems.push(error)
    }
  }
  for (const part of open) await refundPart(part)
  if (refunds.size === 0) throw problems[0] ?? nothingLeft()
  const all = answered ?? (await storeAnsweredParts(world, whole, transactionId, [...refunds.keys()]))
  const refunded = parts.filter(({ name }) => all.includes(name))
  // a concurrent request with this key may have refunded further parts: their claims replay the answers
  for (const part of refunded) if (!refunds.has(part.name)) await refundPart(part)
  return refunded.flatMap(({ name }) => refunds.get(name) ?? [])
}

/**
 * The parts in the stored answer to a request with this key; undefined: none is stored. The parts' own claims
 * refuse the key with another body.
 */
async function readAnsweredParts(
  world: World,
  { account, scope, key }: KeyedTransactionRequest,
): Promise<string[] | undefined> {
  if (key === undefined) return undefined
  const stored = await findStoredRequest<{ parts: string[] }>(world, { account, scope, key })
  return stored?.answer.parts
}

/**
 * Stores the parts of the answer, so that an idempotent replay refunds nothing that became free since. Of two
 * concurrent requests each answers with the parts that both have refunded by then.
 */
async function storeAnsweredParts(
  world: World,
  request: KeyedTransactionRequest,
  transaction: string,
  parts: string[],
): Promise<string[]> {
  const claim = createClaim(world, request)
  if (!claim) return parts
  const { scope, key, fingerprint, representation } = claim
  return addAnsweredParts.call(world, {
    account: request.account,
    scope,
    key,
    fingerprint,
    transaction,
    representation,
    parts: JSON.stringify(parts),
    now: timeOf(world.clock),
  })
}

const nothingLeft = () => badRequest('Nothing is left to refund')

/** Gift cards' parts cannot be disputed, so `force` has no meaning for them. */
const withoutForce = ({ forced: _, ...input }: OperationInput): OperationInput => input

function refundParts(row: TransactionRow, input: OperationInput): RefundPart[] {
  const cards = row.gift_cards?.redemptions.filter(({ status }) => status === 'succeeded') ?? []
  return [
    ...(row.payment_method
      ? [{ name: 'payment-method', kind: 'refund' as const, input, left: leftToRefund(row) }]
      : []),
    ...cards.map((card) => ({
      name: card.id,
      kind: 'gift-card-refund' as const,
      input: { ...withoutForce(input), redemption: card.id },
      left: leftOfRedemption(card),
    })),
  ]
}
