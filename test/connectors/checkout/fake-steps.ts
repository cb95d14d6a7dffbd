import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import { type Body, type FakeBooks, type FakePayment, summaryOf } from './fake-books.ts'
import { invalid } from './fake-payments.ts'

const forbidden: FakeAnswer = { status: 403 }

const accepted = (id: string, reference: string | undefined): FakeAnswer => ({
  status: 202,
  body: { action_id: id, ...(reference !== undefined && { reference }) },
})

type Step = (books: FakeBooks, payment: FakePayment, body: Body, code: string) => FakeAnswer

const referenceOf = ({ reference }: Body) => (typeof reference === 'string' ? reference : undefined)

/** Undefined members are left out, for exact optional types. */
const withReference = (body: Body) => {
  const reference = referenceOf(body)
  return reference === undefined ? {} : { reference }
}

const capture: Step = (books, payment, body, code) => {
  const open = payment.amount - payment.captured - payment.voided
  const isOpen = payment.status === 'Authorized' || payment.status === 'Captured'
  if (!isOpen || payment.captureClosed || payment.isSale) return forbidden
  const amount = Number(body['amount'] ?? open)
  if (amount > open)
    return invalid(
      payment.captured > 0
        ? 'capture_value_greater_than_remaining_authorized'
        : 'capture_value_greater_than_authorized',
    )
  const approved = code.startsWith('10')
  if (approved) {
    payment.captured += amount
    payment.status = 'Captured'
    payment.captureClosed = body['capture_type'] !== 'NonFinal'
  }
  const action = books.act(payment, 'Capture', {
    amount,
    code,
    ...withReference(body),
    event: approved ? 'payment_captured' : 'payment_capture_declined',
    kind: 'capture',
  })
  return accepted(action.id, referenceOf(body))
}

const release: Step = (books, payment, body, code) => {
  const open = payment.amount - payment.captured - payment.voided
  const isOpen = payment.status === 'Authorized' || payment.status === 'Captured'
  if (!isOpen || open <= 0) return forbidden
  const approved = code.startsWith('10')
  if (approved) {
    payment.voided += open
    if (payment.captured === 0) payment.status = 'Voided'
  }
  const action = books.act(payment, 'Void', {
    amount: open,
    code,
    ...withReference(body),
    event: approved ? 'payment_voided' : 'payment_void_declined',
    kind: 'void',
  })
  return accepted(action.id, referenceOf(body))
}

const refund: Step = (books, payment, body, code) => {
  if (payment.captured === 0) return forbidden
  const amount = Number(body['amount'] ?? payment.captured - payment.refunded)
  if (amount > payment.captured - payment.refunded) return invalid('refund_amount_exceeds_balance')
  const approved = code.startsWith('10')
  if (approved) payment.refunded += amount
  const action = books.act(payment, 'Refund', {
    amount,
    code,
    ...withReference(body),
    event: approved ? 'payment_refunded' : 'payment_refund_declined',
    kind: 'refund',
  })
  return accepted(action.id, referenceOf(body))
}

const increment: Step = (books, payment, body, code) => {
  if (payment.status !== 'Authorized' || !payment.isEstimated) return forbidden
  const amount = Number(body['amount'] ?? 0)
  const approved = code.startsWith('10')
  if (approved) payment.amount += amount
  const action = books.act(payment, 'Authorization', {
    amount,
    code,
    ...withReference(body),
    event: approved ? 'payment_authorization_incremented' : 'payment_authorization_increment_declined',
    kind: 'increment',
  })
  return {
    status: 201,
    body: {
      action_id: action.id,
      amount,
      currency: payment.currency,
      approved,
      status: approved ? 'Authorized' : 'Declined',
      response_code: code,
      response_summary: summaryOf(code),
      processed_on: action.processed_on,
      ...withReference(body),
      _links: { payment: { href: `https://api.sandbox.checkout.com/payments/${payment.id}` } },
    },
  }
}

/** The steps of a payment, by the last part of their path. */
export const steps: Readonly<Record<string, Step>> = {
  authorizations: increment,
  captures: capture,
  refunds: refund,
  voids: release,
}
