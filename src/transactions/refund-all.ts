import { badRequest } from '../api/errors.ts'
import type { OperationInput } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { type Action, act } from './follow-up.ts'
import { idempotently, type KeyedRequest } from './idempotency.ts'
import type { Refund } from './refund.schema.ts'
import type { TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

/** What is asked of each part of a payment alike. */
export type RefundEverything = Pick<Action, 'account' | 'transactionId' | 'path' | 'body'> & { input: OperationInput }

interface Part {
  /** A name that is the same whenever the request is repeated. */
  name: string
  kind: 'refund' | 'gift-card-refund'
  input: OperationInput
  left: number
}

/**
 * Gives back everything that is left, of the payment method and of each gift card. Every part is a refund of its own and claims the idempotency key for itself, so
 * a request that is repeated after half of it was done does the other half. Throws 400 where nothing is left.
 */
export async function refundEverything(world: World, asked: RefundEverything, key: string | undefined): Promise<Refund[]> {
  const { account, transactionId, path, body } = asked
  const parts = partsOf(await readTransaction(world, account, transactionId), asked.input)
  const open = parts.filter(({ left }) => left > 0 || key !== undefined)
  const refunds: Refund[] = []
  for (const { name, kind, input, left } of open) {
    const keyed: KeyedRequest = { account, scope: `POST ${path} ${name}`, key, body, representation: 'refund' }
    const answered = await idempotently(world, keyed, async (claim) => {
      if (left <= 0) throw nothingLeft()
      return act(world, { account, transactionId, kind, amount: null, input, claim, path, body, allowance: () => 0 })
    }).catch((error: unknown) => {
      // of a part that an earlier request gave back nothing is left: only where that is so of all, nothing was done
      if (left <= 0) return undefined
      throw error
    })
    if (answered) refunds.push(answered.body as Refund)
  }
  if (refunds.length === 0) throw nothingLeft()
  return refunds
}

const nothingLeft = () => badRequest('Nothing is left to refund')

function partsOf(row: TransactionRow, input: OperationInput): Part[] {
  const captured = row.captured_amount - row.refunded_amount - row.refund_reserved
  const cards = row.gift_cards?.redemptions.filter(({ status }) => status === 'succeeded') ?? []
  return [
    ...(row.payment_method ? [{ name: 'payment-method', kind: 'refund' as const, input, left: captured }] : []),
    ...cards.map(({ id, amount, refunded, refund_reserved }) => ({
      name: id,
      kind: 'gift-card-refund' as const,
      input: { ...input, redemption: id },
      left: amount - refunded - refund_reserved,
    })),
  ]
}
