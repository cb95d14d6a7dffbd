import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import { type FakeBooks, type FakePayment, isoAmount, type Money } from './fake-books.ts'
import { type Body, decidedAnswer, openPayment } from './fake-payments.ts'

export interface FakeGiftCard {
  pin: string
  balance: Money
  active: boolean
}

/** Cards by their numbers; a number that is not among them is unknown to the provider. */
export type FakeGiftCards = Map<string, FakeGiftCard>

type Refusal = FakePayment['refusal']

const invalidCard = { code: '8', reason: 'Invalid Card Number' } satisfies Refusal

const members = (value: unknown): Body => (typeof value === 'object' && value !== null ? { ...value } : {})

function refusalOf(card: FakeGiftCard | undefined, pin: unknown): Refusal {
  if (!card) return invalidCard
  if (card.pin !== pin) return { code: '17', reason: 'Invalid Pin' }
  return card.active ? null : { code: '5', reason: 'Blocked Card' }
}

/** `POST /payments` with a gift card: the amount is taken off the card at once. */
export function payGiftCard(books: FakeBooks, cards: FakeGiftCards, body: Body): FakeAnswer {
  const method = members(body['paymentMethod'])
  const card = cards.get(`${method['number']}`)
  const payment = openPayment(books, body)
  payment.refusal = refusalOf(card, method['cvc'])
  const { money } = payment
  if (!payment.refusal && card && money.currency !== card.balance.currency)
    payment.refusal = { code: '10', reason: 'Not supported' }
  if (!payment.refusal && card && money.value > card.balance.value)
    payment.refusal = { code: '12', reason: 'Not enough balance' }
  if (!payment.refusal && card) {
    card.balance = { ...card.balance, value: card.balance.value - money.value }
    payment.giftCard = card
  }
  books.authorize(payment)
  return decidedAnswer(payment)
}

/** The Stored Value API: every answer is the result. */
export function answerStoredValue(
  books: FakeBooks,
  cards: FakeGiftCards,
  path: string,
  body: Body,
): FakeAnswer {
  const method = members(body['paymentMethod'])
  const card = cards.get(`${method['number']}`)
  const pspReference = books.nextPsp()
  const refuse = (refusalReason: string): FakeAnswer => ({
    status: 200,
    body: { pspReference, resultCode: 'Refused', refusalReason },
  })
  if (!card) return refuse(invalidCard.reason)
  if (method['securityCode'] !== undefined && method['securityCode'] !== card.pin)
    return refuse('Invalid Pin')
  if (path === '/changeStatus') {
    if (card.active) return refuse('Card already active')
    card.active = true
    const amount = body['amount'] as Money | undefined
    if (amount) {
      card.balance = amount
      const { currency } = amount
      const key = `${body['reference']}`
      books.effects.push({
        key,
        kind: 'authorize',
        payment: pspReference,
        amount: isoAmount(amount),
        currency,
      })
    }
  }
  return { status: 200, body: { pspReference, resultCode: 'Success', currentBalance: card.balance } }
}
