import type { BuyerDecision, FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import codes from '../../contracts/codes/mollie.json' with { type: 'json' }
import {
  type Body,
  type FakeBooks,
  type FakeMovement,
  type FakePayment,
  isExact,
  type Money,
  memberOf,
  problem,
  textOf,
  unitsOf,
} from './fake-books.ts'
import { capturedOf, isCancelable, movementBody, paymentBody, refundedOf } from './fake-objects.ts'

const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS
export const REFUND_MS = 2 * 60 * MINUTE_MS
export const DEBIT_MS = 3 * 24 * 60 * MINUTE_MS

const moneyIn = (body: Body): Money => {
  const amount = body['amount']
  return { currency: textOf(memberOf(amount, 'currency')), value: textOf(memberOf(amount, 'value')) }
}

const operationOf = (metadata: unknown) => textOf(memberOf(metadata, 'operation_id'))

/** Card tokens say what happens to their card: `tkn_decline_<failureReason>`, `tkn_challenge`. */
const failureOf = (token: string) => /^tkn_decline_(\w+)$/.exec(token)?.[1] ?? null

export function createPayment(books: FakeBooks, body: Body): FakeAnswer {
  const amount = moneyIn(body)
  const sequence = body['sequenceType'] ?? 'oneoff'
  const customer = textOf(body['customerId'])
  if (!isExact(amount) || unitsOf(amount) === 0) return problem(422, 'The amount is invalid', 'amount')
  if (sequence !== 'recurring' && !body['redirectUrl'])
    return problem(422, 'The redirect URL is missing', 'redirectUrl')
  if (sequence !== 'oneoff' && !books.customers.has(customer))
    return problem(422, 'The customer is missing', 'customerId')
  const mandate = books.mandates.get(textOf(body['mandateId']))
  if (sequence === 'recurring' && (mandate?.customer !== customer || mandate.status !== 'valid'))
    return problem(422, 'The customer has no valid mandate', 'mandateId')
  if (body['method'] === 'klarna' && !Array.isArray(body['lines']))
    return problem(422, 'The lines are missing', 'lines')
  const token = textOf(body['cardToken'])
  if (books.payments.some((each) => token !== '' && each.body['cardToken'] === token && isSingle(token)))
    return problem(422, 'The card token was used before', 'cardToken')
  const payment: FakePayment = {
    id: books.nextId('tr'),
    body,
    amount,
    status: 'open',
    isManual: body['captureMode'] === 'manual',
    createdAt: books.now(),
    authorizedAt: null,
    paidAt: null,
    expiresAt: books.now() + (body['method'] === 'ideal' ? 15 : 60) * MINUTE_MS,
    failure: null,
    mandateId: sequence === 'recurring' ? textOf(body['mandateId']) : null,
    hasPage: sequence !== 'recurring' && (token === '' || token.startsWith('tkn_challenge')),
    captures: [],
    refunds: [],
    chargebacks: [],
  }
  books.payments.push(payment)
  if (!payment.hasPage) decide(books, payment, failureOf(token))
  return { status: 201, body: paymentBody(books, payment) }
}

/** Tokens of the tests that stand for a buyer who uses the same card twice. */
const isSingle = (token: string) => token.startsWith('tkn_single')

/** The buyer, or the issuer, has decided. */
export function decide(books: FakeBooks, payment: FakePayment, failure: string | null): void {
  const now = books.now()
  const { body, isManual } = payment
  if (failure !== null) {
    Object.assign(payment, { status: 'failed', failure })
  } else if (body['method'] === 'directdebit' && payment.status === 'open') {
    payment.status = 'pending'
  } else {
    Object.assign(payment, {
      status: isManual ? 'authorized' : 'paid',
      authorizedAt: isManual ? now : null,
      paidAt: isManual ? null : now,
      expiresAt: now + WEEK_MS,
    })
    if (body['sequenceType'] === 'first') {
      payment.mandateId = books.nextId('mdt')
      books.mandates.set(payment.mandateId, { customer: textOf(body['customerId']), status: 'valid' })
    }
    const key = operationOf(body['metadata']) || textOf(memberOf(body['metadata'], 'closed_operation_id'))
    books.effect(payment, isManual ? 'authorize' : 'sale', key, payment.amount)
  }
  books.notify(payment, `payment.${payment.status}`, paymentBody(books, payment))
}

export function visitPage(books: FakeBooks, payment: FakePayment, decision: BuyerDecision): void {
  if (payment.status !== 'open' || decision === 'abandon') return
  const { currency, value } = payment.amount
  const asked = codes.test.amounts_eur.find(({ amount }) => currency === 'EUR' && amount === value)
  decide(books, payment, decision === 'approve' ? null : (asked?.failureReason ?? 'refused_by_issuer'))
}

export function createMovement(
  books: FakeBooks,
  payment: FakePayment,
  resource: FakeMovement['resource'],
  body: Body,
): FakeAnswer {
  const open =
    resource === 'capture'
      ? unitsOf(payment.amount) - capturedOf(payment)
      : (payment.isManual ? capturedOf(payment) : unitsOf(payment.amount)) - refundedOf(payment)
  const canMove =
    resource === 'capture'
      ? payment.status === 'authorized'
      : payment.status === 'paid' || capturedOf(payment) > 0
  if (!canMove) return problem(422, `The payment is ${payment.status}`)
  const amount = moneyIn(body)
  if (!isExact(amount) || amount.currency !== payment.amount.currency || unitsOf(amount) > open)
    return problem(422, 'The amount is higher than the maximum', 'amount')
  const movement: FakeMovement = {
    id: books.nextId(resource === 'capture' ? 'cpt' : 're'),
    resource,
    status: 'pending',
    amount,
    metadata: body['metadata'] ?? null,
    createdAt: books.now(),
  }
  payment[resource === 'capture' ? 'captures' : 'refunds'].push(movement)
  books.effect(payment, resource, operationOf(movement.metadata), amount)
  return { status: 201, body: movementBody(books, payment, movement) }
}

/** What is authorized and not captured is released. */
export function releaseAuthorization(books: FakeBooks, payment: FakePayment, key: string): FakeAnswer {
  if (payment.status === 'canceled') return { status: 202 }
  if (payment.status !== 'authorized') return problem(422, `The payment is ${payment.status}`)
  payment.status = capturedOf(payment) > 0 ? 'paid' : 'canceled'
  books.effect(payment, 'void', key, payment.amount)
  books.notify(payment, `payment.${payment.status}`, paymentBody(books, payment))
  return { status: 202 }
}

export function cancelPayment(books: FakeBooks, payment: FakePayment): FakeAnswer {
  if (!isCancelable(payment)) return problem(422, 'The payment cannot be canceled')
  payment.status = 'canceled'
  books.notify(payment, 'payment.canceled', paymentBody(books, payment))
  return { status: 200, body: paymentBody(books, payment) }
}

/** How long the provider takes for a capture or a refund, in milliseconds. */
export type Waits = Readonly<Record<FakeMovement['resource'], number>>
export const usualWaits: Waits = { capture: MINUTE_MS, refund: REFUND_MS }

/** What happens at the provider as time passes. */
export function settle(books: FakeBooks, waits: Waits): void {
  for (const payment of books.payments) {
    if (payment.status === 'pending' && books.now() >= payment.createdAt + DEBIT_MS)
      decide(books, payment, null)
    if ((payment.status === 'open' || payment.status === 'authorized') && books.now() >= payment.expiresAt) {
      payment.status = 'expired'
      books.notify(payment, 'payment.expired', paymentBody(books, payment))
    }
    for (const movement of [...payment.captures, ...payment.refunds])
      settleMovement(books, payment, movement, waits)
  }
}

function settleMovement(books: FakeBooks, payment: FakePayment, movement: FakeMovement, waits: Waits): void {
  const wait = waits[movement.resource]
  if (movement.status !== 'pending' || books.now() < movement.createdAt + wait) return
  movement.status = movement.resource === 'capture' ? 'succeeded' : 'refunded'
  if (capturedOf(payment) === unitsOf(payment.amount) && payment.status === 'authorized')
    Object.assign(payment, { status: 'paid', paidAt: books.now() })
  books.notify(payment, `${movement.resource}.${movement.status}`, movementBody(books, payment, movement))
}
