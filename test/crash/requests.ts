import { randomUUID } from 'node:crypto'
import {
  declinedAmounts,
  failedAmounts,
  followUpAmounts,
  partialApprovalAmount,
  pendingAmounts,
} from '../../src/sandbox/core/amounts.ts'
import { testCards } from '../../src/sandbox/providers/three-d-secure/outcome.ts'
import { buyerScreenedAs } from '../support/domains/anti-fraud.ts'
import type { Chance } from './chance.ts'
import { type Action, type Answer, isAcknowledged, type Sent } from './client.ts'
import { giftCard, type Instruments } from './instruments.ts'
import { ways } from './orchestration.ts'

/** A payment as the merchant last saw it. */
export interface Payment {
  id: string
  amount: number
  captured: boolean
  /** What gift cards paid of it, by the redemptions' ids. */
  redemptions: { id: string; amount: number }[]
}

const KEYED = 0.75
/** Larger than every amount with a simulated outcome, so that these can be captured and refunded in part. */
const LARGE = 1_300_000

const amountsOf = (action: Action): number[] => [
  ...followUpAmounts.filter(([kind]) => kind === action).map(([, amount]) => amount),
  ...pendingAmounts.filter(([kind]) => kind === action).map(([, amount]) => amount),
]

function request(
  chance: Chance,
  action: Action,
  path: string,
  body: Record<string, unknown>,
  transactionId?: string,
): Sent {
  const mark = randomUUID()
  const marked = ['create', 'capture', 'refund', 'payout'].includes(action)
    ? { ...body, external_identifier: mark }
    : body
  return {
    action,
    path,
    body: marked,
    mark,
    transactionId,
    key: chance.odds(KEYED) ? randomUUID() : undefined,
    tries: 0,
    answer: undefined,
  }
}

/**
 * Mostly an ordinary amount; sometimes one that is declined, fails, stays pending, or is partially approved.
 */
function createAmount(chance: Chance): number {
  if (chance.odds(0.07)) return chance.pick(declinedAmounts)[0]
  if (chance.odds(0.05)) return chance.pick(failedAmounts)[0]
  if (chance.odds(0.04)) return 540_001
  if (chance.odds(0.03)) return partialApprovalAmount
  if (chance.odds(0.08)) return chance.pick(amountsOf('void'))
  return chance.odds(0.25) ? LARGE + chance.between(0, 9_999) : chance.between(1_000, 99_999)
}

/** A payment whose buyer approves at the payment service. */
function redirection(chance: Chance): Sent {
  return request(chance, 'create', '/transactions', {
    amount: createAmount(chance),
    currency: 'USD',
    country: 'US',
    payment_method: {
      method: chance.pick(['wallet', 'bnpl'] as const),
      country: 'US',
      currency: 'USD',
      redirect_url: 'http://127.0.0.1:1/thanks',
    },
    intent: chance.odds(0.35) ? 'capture' : 'authorize',
  })
}

const entered = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

/** Mostly a card number; or a stored card, one to store, or a checkout session. */
function cardPayment(chance: Chance, { methods, sessions }: Instruments): Record<string, unknown> {
  if (chance.odds(0.15)) return { payment_method: { method: 'id', id: chance.pick(methods) } }
  if (chance.odds(0.15)) return { payment_method: { method: 'checkout-session', id: chance.pick(sessions) } }
  return { payment_method: entered, ...(chance.odds(0.2) && { store: true }) }
}

const FEW = 40

/** Up to three different gift cards. Payments use the same ones until they refuse. */
function giftCards(chance: Chance, { giftCards: stored }: Instruments): { amount: number; id?: string }[] {
  const numbers = new Set(Array.from({ length: chance.between(1, 3) }, () => chance.between(1, FEW)))
  const inline = Array.from(numbers, (number) => ({
    ...giftCard(number),
    amount: chance.between(100, 30_000),
  }))
  return chance.odds(0.3)
    ? [{ id: chance.pick(stored), amount: chance.between(100, 30_000) }, ...inline]
    : inline
}

const sum = (cards: readonly { amount: number }[]) => cards.reduce((total, { amount }) => total + amount, 0)

function onlyGiftCards(chance: Chance, purse: Instruments): Sent {
  const cards = giftCards(chance, purse)
  return request(chance, 'create', '/transactions', {
    amount: sum(cards),
    currency: 'USD',
    country: 'US',
    gift_cards: cards,
  })
}

/** The method's amount beside gift cards: sometimes one whose capture, void or refund fails later. */
const sharedAmount = (chance: Chance) =>
  chance.odds(0.2)
    ? chance.pick([...amountsOf('capture'), ...amountsOf('void'), ...amountsOf('refund')])
    : createAmount(chance)

/** The payment with gift cards beside its method. */
function shared(chance: Chance, purse: Instruments, sent: Sent): Sent {
  const cards = giftCards(chance, purse)
  // what is whole or undone is another question where a person decides
  const { buyer: _reviewed, ...body } = sent.body
  return { ...sent, body: { ...body, amount: sharedAmount(chance) + sum(cards), gift_cards: cards } }
}

/**
 * Without amounts that stay pending: if the notification is lost with the process, they are not looked up for
 * ten minutes.
 */
function payout(chance: Chance, { methods, paymentService }: Instruments): Sent {
  const { security_code: _, ...card } = entered
  return request(chance, 'payout', '/payouts', {
    amount: chance.odds(0.15) ? chance.pick([530_001, 530_002]) : chance.between(1_000, 99_999),
    currency: 'USD',
    payment_service_id: paymentService,
    payment_method: chance.odds(0.3) ? { id: chance.pick(methods) } : card,
    buyer: { display_name: 'Ada' },
  })
}

export function creation(chance: Chance, purse: Instruments): Sent {
  if (chance.odds(0.1)) return payout(chance, purse)
  if (chance.odds(0.05)) return onlyGiftCards(chance, purse)
  const sent = chance.odds(0.3) ? redirection(chance) : ofCard(chance, purse)
  return chance.odds(0.3) ? shared(chance, purse, sent) : sent
}

/** A card whose issuer may require a challenge, with the rule that routes it. */
function routedPayment(chance: Chance): Record<string, unknown> {
  const number = chance.odds(0.5)
    ? '4111111111181072'
    : chance.pick([...testCards.frictionless.slice(0, 2), ...testCards.challenge.slice(0, 2)])
  const redirect_url = 'http://127.0.0.1:1/thanks'
  return {
    metadata: { way: chance.pick(ways) },
    payment_method: { ...entered, number, redirect_url },
    ...(chance.odds(0.2) && { store: true }),
  }
}

/** The decisions of the anti-fraud service. */
const verdicts = ['review', 'review', 'review', 'reject', 'accept', 'error', 'timeout'] as const

function ofCard(chance: Chance, purse: Instruments): Sent {
  const sells = chance.odds(0.35)
  return request(chance, 'create', '/transactions', {
    amount: createAmount(chance),
    currency: 'USD',
    country: 'US',
    ...(chance.odds(0.5) ? routedPayment(chance) : cardPayment(chance, purse)),
    ...(chance.odds(0.4) && { buyer: buyerScreenedAs(chance.pick(verdicts)) }),
    intent: sells ? 'capture' : 'authorize',
    ...(sells && chance.odds(0.3) && { async_capture: true }),
    ...(chance.odds(0.3) && { allow_partial_authorization: true }),
  })
}

/** Part of the payment, or an amount with a simulated outcome if the payment is large enough. */
const part = (chance: Chance, action: Action, { amount }: Payment): number =>
  amount >= LARGE && chance.odds(0.5)
    ? chance.pick(amountsOf(action))
    : chance.between(1, Math.ceil(amount * 0.6))

/** A follow-up request for an authorized or captured payment. */
export function followUp(chance: Chance, payment: Payment): Sent {
  const { id } = payment
  if (chance.odds(0.1)) return request(chance, 'refund-all', `/transactions/${id}/refunds/all`, {}, id)
  if (payment.redemptions.length > 0 && chance.odds(0.3)) {
    const { id: target_id, amount } = chance.pick(payment.redemptions)
    const body = { amount: chance.between(1, amount), target_type: 'gift-card-redemption', target_id }
    return request(chance, 'refund', `/transactions/${id}/refunds`, body, id)
  }
  if (payment.captured)
    return request(
      chance,
      'refund',
      `/transactions/${id}/refunds`,
      { amount: part(chance, 'refund', payment) },
      id,
    )
  if (chance.odds(0.2)) return request(chance, 'void', `/transactions/${id}/void`, {}, id)
  if (chance.odds(0.2)) {
    const amount = chance.odds(0.3) ? chance.pick(amountsOf('increment')) : chance.between(100, 5_000)
    return request(chance, 'increment', `/transactions/${id}/authorization/increment`, { amount }, id)
  }
  const amount = chance.odds(0.2) ? {} : { amount: part(chance, 'capture', payment) }
  return request(chance, 'capture', `/transactions/${id}/capture`, { ...amount, final: chance.odds(0.5) }, id)
}

/** Whether the payment service may have left this request pending. */
export function maySitPending({ action, body }: Sent): boolean {
  const { amount, gift_cards: cards = [] } = body as { amount?: number; gift_cards?: { amount: number }[] }
  return (
    action === 'void' ||
    amount === undefined ||
    pendingAmounts.some(([, pending]) => pending === amount - sum(cards))
  )
}

/** The transaction in an answer, bare or wrapped. */
export const transactionOf = ({ body }: Answer) => (body.type === 'transaction' ? body : body.transaction)

/** The payment in an answer, for later requests. */
export function paymentOf(sent: Sent): Payment | undefined {
  if (!isAcknowledged(sent) || sent.action === 'refund-all') return undefined
  const body = transactionOf(sent.answer)
  if (!body) return undefined
  const captured = body.status === 'capture_succeeded'
  const open =
    captured ||
    ['processing', 'buyer_approval_pending', 'authorization_succeeded', 'capture_pending'].includes(
      body.status,
    )
  const redemptions = (body.gift_card_redemptions ?? []).map(
    ({ id, amount }: { id: string; amount: number }) => ({ id, amount }),
  )
  return open
    ? {
        id: body.id,
        amount: captured ? body.captured_amount : body.amount - sum(redemptions),
        captured,
        redemptions,
      }
    : undefined
}
