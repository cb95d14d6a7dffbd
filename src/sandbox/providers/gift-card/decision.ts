import type { GiftCardOperationKind } from '../../core/operation.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import type { GiftCardEntry, GiftCardResult, Redemption, SimulatedGiftCard } from './books.ts'
import { cardOf } from './card.ts'
import type { ActivationBody, IssuanceBody, RedemptionBody, RefundBody } from './gift-card.schema.ts'
import type { GiftCardError } from './pins.ts'

/** The entry to book. Null: there is no such redemption. */
export type GiftCardDecision = Pick<GiftCardEntry, 'result' | 'opening'> | null

/** A request for an operation. */
export interface GiftCardRequest {
  sandbox: Sandbox
  service: string
  key: string
}

const prefixes: Record<GiftCardOperationKind, string> = {
  redeem: 'rdm',
  reverse: 'rev',
  refund: 'ref',
  activate: 'act',
  issue: 'iss',
}

type Subject = Pick<GiftCardResult, 'kind' | 'amount' | 'currency'> & Partial<GiftCardResult>

const newGiftCardResult = (
  { sandbox, key }: GiftCardRequest,
  subject: Subject,
  error: GiftCardError | null,
): GiftCardResult => ({
  key,
  id: `${prefixes[subject.kind]}_${sandbox.ids.next()}`,
  status: error ? 'refused' : 'approved',
  code: error?.code ?? null,
  error_kind: error?.kind ?? null,
  card_id: null,
  redemption_id: null,
  url: null,
  processed_at: timestamp(sandbox),
  ...subject,
})

const validationError = (code: string): GiftCardError => ({ kind: 'validation_error', code })

export function decideRedemption(
  request: GiftCardRequest,
  { number, pin, amount, currency }: RedemptionBody,
): GiftCardDecision {
  const card = cardOf(request.sandbox, request.service, number, pin)
  const subject = { kind: 'redeem', amount, currency } as const
  if ('error' in card) return { result: newGiftCardResult(request, subject, card.error) }
  return {
    result: newGiftCardResult(
      request,
      { ...subject, card_id: card.card_id },
      redemptionError(card, amount, currency),
    ),
    opening: card,
  }
}

function redemptionError(
  { balance, currency: cardCurrency }: SimulatedGiftCard,
  amount: number,
  currency: string,
): GiftCardError | null {
  if (amount === 0) return validationError('invalid_amount')
  if (cardCurrency !== null && cardCurrency !== currency) return validationError('incorrect_currency')
  return amount > balance ? validationError('insufficient_funds') : null
}

const redemptionOf = ({ sandbox, service }: GiftCardRequest, id: string): Redemption | undefined => {
  const redemption = sandbox.books.giftCards.redemptions.get(id)
  return redemption?.payment_service_id === service ? redemption : undefined
}

/** Returns the rest of a redemption to its card; a reversed redemption has no rest. */
export function decideReversal(request: GiftCardRequest, id: string): GiftCardDecision {
  const redemption = redemptionOf(request, id)
  if (!redemption) return null
  const { card_id, currency } = redemption
  const amount = redemption.amount - redemption.returned
  const subject = { kind: 'reverse', amount, currency, card_id, redemption_id: id } as const
  return {
    result: newGiftCardResult(request, subject, amount > 0 ? null : validationError('unexpected_state')),
  }
}

export function decideRefund(
  request: GiftCardRequest,
  id: string,
  { amount, currency }: RefundBody,
): GiftCardDecision {
  const redemption = redemptionOf(request, id)
  if (!redemption) return null
  const subject = {
    kind: 'refund',
    amount,
    currency,
    card_id: redemption.card_id,
    redemption_id: id,
  } as const
  return { result: newGiftCardResult(request, subject, refundError(redemption, amount, currency)) }
}

function refundError(redemption: Redemption, amount: number, currency: string): GiftCardError | null {
  if (currency !== redemption.currency) return validationError('incorrect_currency')
  return amount > 0 && amount <= redemption.amount - redemption.returned
    ? null
    : validationError('invalid_amount')
}

/** Activates a card, once. */
export function decideActivation(
  request: GiftCardRequest,
  { number, pin, amount, currency }: ActivationBody,
): GiftCardDecision {
  const card = cardOf(request.sandbox, request.service, number, pin)
  const subject = { kind: 'activate', amount: amount ?? 0, currency } as const
  if ('error' in card) return { result: newGiftCardResult(request, subject, card.error) }
  return {
    result: newGiftCardResult(
      request,
      { ...subject, card_id: card.card_id },
      activationError(card, currency),
    ),
    opening: card,
  }
}

function activationError(
  { activated, currency: cardCurrency }: SimulatedGiftCard,
  currency: string | null,
): GiftCardError | null {
  if (activated) return validationError('duplicate_transaction')
  return cardCurrency !== null && currency !== null && cardCurrency !== currency
    ? validationError('incorrect_currency')
    : null
}

export function decideIssuance(
  request: GiftCardRequest,
  { amount, currency }: IssuanceBody,
): GiftCardDecision {
  const issued = newGiftCardResult(
    request,
    { kind: 'issue', amount, currency },
    amount > 0 ? null : validationError('invalid_amount'),
  )
  return {
    result: {
      ...issued,
      url: issued.status === 'approved' ? `https://gift-cards.example/${issued.id}` : null,
    },
  }
}
