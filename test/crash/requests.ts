import { randomUUID } from 'node:crypto'
import { declinedAmounts, failedAmounts, laterAmounts, partialAmount, pendingAmounts } from '../../src/sandbox/amounts.ts'
import type { Chance } from './chance.ts'
import { type Action, type Answer, isAcknowledged, type Sent } from './client.ts'

/** A payment that the merchant knows, by the last it heard of it. */
export interface Payment {
  id: string
  amount: number
  captured: boolean
}

const KEYED = 0.75
/** Larger than every amount that stands for an outcome, so that such amounts can be captured and refunded in part. */
const LARGE = 1_300_000

const amountsOf = (action: Action): number[] => [
  ...laterAmounts.filter(([kind]) => kind === action).map(([, amount]) => amount),
  ...pendingAmounts.filter(([kind]) => kind === action).map(([, amount]) => amount),
]

function request(chance: Chance, action: Action, path: string, body: Record<string, unknown>, transactionId?: string): Sent {
  const mark = randomUUID()
  const marked = action === 'create' || action === 'capture' || action === 'refund' ? { ...body, external_identifier: mark } : body
  return { action, path, body: marked, mark, transactionId, key: chance.odds(KEYED) ? randomUUID() : undefined, tries: 0, answer: undefined }
}

/** Mostly an ordinary amount; now and then one that is declined, fails, stays pending, or is approved in part. */
function createAmount(chance: Chance): number {
  if (chance.odds(0.07)) return chance.pick(declinedAmounts)[0]
  if (chance.odds(0.05)) return chance.pick(failedAmounts)[0]
  if (chance.odds(0.04)) return 540_001
  if (chance.odds(0.03)) return partialAmount
  if (chance.odds(0.08)) return chance.pick(amountsOf('void'))
  return chance.odds(0.25) ? LARGE + chance.between(0, 9_999) : chance.between(1_000, 99_999)
}

/** A payment that its buyer approves at the payment service. */
function redirection(chance: Chance): Sent {
  return request(chance, 'create', '/transactions', {
    amount: createAmount(chance),
    currency: 'USD',
    country: 'US',
    payment_method: { method: chance.pick(['wallet', 'bnpl'] as const), country: 'US', currency: 'USD', redirect_url: 'http://127.0.0.1:1/thanks' },
    intent: chance.odds(0.35) ? 'capture' : 'authorize',
  })
}

export function creation(chance: Chance): Sent {
  if (chance.odds(0.3)) return redirection(chance)
  const sells = chance.odds(0.35)
  return request(chance, 'create', '/transactions', {
    amount: createAmount(chance),
    currency: 'USD',
    country: 'US',
    payment_method: { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' },
    intent: sells ? 'capture' : 'authorize',
    ...(sells && chance.odds(0.3) && { async_capture: true }),
    ...(chance.odds(0.3) && { allow_partial_authorization: true }),
  })
}

/** Part of the payment, or an amount that stands for an outcome where the payment is large enough. */
const part = (chance: Chance, action: Action, { amount }: Payment): number =>
  amount >= LARGE && chance.odds(0.5) ? chance.pick(amountsOf(action)) : chance.between(1, Math.ceil(amount * 0.6))

/** Something to do with a payment that is authorized or captured. */
export function followUp(chance: Chance, payment: Payment): Sent {
  const { id } = payment
  if (payment.captured) return request(chance, 'refund', `/transactions/${id}/refunds`, { amount: part(chance, 'refund', payment) }, id)
  if (chance.odds(0.2)) return request(chance, 'void', `/transactions/${id}/void`, {}, id)
  if (chance.odds(0.2)) {
    const amount = chance.odds(0.3) ? chance.pick(amountsOf('increment')) : chance.between(100, 5_000)
    return request(chance, 'increment', `/transactions/${id}/authorization/increment`, { amount }, id)
  }
  const amount = chance.odds(0.2) ? {} : { amount: part(chance, 'capture', payment) }
  return request(chance, 'capture', `/transactions/${id}/capture`, { ...amount, final: chance.odds(0.5) }, id)
}

/** Whether the payment service may have left this request pending, to be told of later. */
export const maySitPending = ({ action, body }: Sent): boolean =>
  action === 'void' || body['amount'] === undefined || pendingAmounts.some(([, amount]) => amount === body['amount'])

/** The transaction that an answer shows, bare or wrapped. */
export const transactionOf = ({ body }: Answer) => (body.type === 'transaction' ? body : body.transaction)

/** The payment that an answer tells of, for later requests to act on. */
export function paymentOf(sent: Sent): Payment | undefined {
  if (!isAcknowledged(sent)) return undefined
  const body = transactionOf(sent.answer)
  if (!body) return undefined
  const captured = body.status === 'capture_succeeded'
  const open = captured || ['processing', 'buyer_approval_pending', 'authorization_succeeded', 'capture_pending'].includes(body.status)
  return open ? { id: body.id, amount: captured ? body.captured_amount : body.amount, captured } : undefined
}
