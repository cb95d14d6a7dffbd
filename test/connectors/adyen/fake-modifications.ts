import type { FakeAnswer, FakeEffect } from '../../../src/connector-kit/fake-provider.ts'
import { type FakeBooks, type FakePayment, isoAmount, MERCHANT, type Money } from './fake-books.ts'
import { type Body, serviceError } from './fake-payments.ts'

type Kind = 'captures' | 'cancels' | 'refunds' | 'reversals' | 'amountUpdates'

interface Rule {
  eventCode: string
  kind: FakeEffect['kind']
  /** Why it is refused; null: it moves the money. */
  apply(payment: FakePayment, value: number): string | null
}

const isHeld = ({ refusal, challenged, cancelled }: FakePayment) => !refusal && !challenged && !cancelled

const rules: Record<Kind, Rule> = {
  captures: {
    eventCode: 'CAPTURE',
    kind: 'capture',
    apply(payment, value) {
      if (!isHeld(payment)) return 'Transaction not in state Authorised'
      if (payment.captured + value > payment.money.value) return 'Insufficient balance on payment'
      payment.captured += value
      return null
    },
  },
  cancels: {
    eventCode: 'CANCELLATION',
    kind: 'void',
    apply(payment) {
      if (!isHeld(payment) || payment.captured > 0) return 'Transaction not in state Authorised'
      payment.cancelled = true
      return null
    },
  },
  reversals: {
    eventCode: 'CANCEL_OR_REFUND',
    kind: 'refund',
    apply(payment) {
      if (!isHeld(payment) || payment.refunded > 0) return 'Transaction not in state Authorised'
      if (payment.captured === 0) payment.cancelled = true
      payment.refunded = payment.captured
      return null
    },
  },
  refunds: {
    eventCode: 'REFUND',
    kind: 'refund',
    apply(payment, value) {
      if (payment.captured === 0) return "Transaction hasn't been captured, refund not possible"
      if (payment.refunded + value > payment.captured) return 'Insufficient balance on payment'
      payment.refunded += value
      return null
    },
  },
  amountUpdates: {
    eventCode: 'AUTHORISATION_ADJUSTMENT',
    kind: 'increment',
    apply(payment, value) {
      if (!isHeld(payment) || payment.captured > 0) return 'Transaction not in state Authorised'
      payment.money = { ...payment.money, value }
      return null
    },
  },
}

const isKind = (text: string): text is Kind => Object.hasOwn(rules, text)

/** `POST /payments/{psp}/{kind}`: always accepted; a webhook tells the result. */
export function modify(books: FakeBooks, psp: string, kind: string, body: Body): FakeAnswer {
  const payment = books.payments.get(psp)
  if (!isKind(kind)) return { status: 404 }
  if (!payment)
    return serviceError(422, '167', 'Original pspReference required for this operation', 'validation')
  const reference = typeof body['reference'] === 'string' ? body['reference'] : ''
  const asked = (body['amount'] as Money | undefined) ?? payment.money
  if (asked.currency !== payment.money.currency)
    return serviceError(422, '138', 'Currency code mismatch', 'validation')
  const before = payment.money.value
  const reason = rules[kind].apply(payment, asked.value)
  const pspReference = books.nextPsp()
  const moved = kind === 'amountUpdates' ? { ...asked, value: asked.value - before } : asked
  if (reason === null && payment.giftCard && (kind === 'refunds' || kind === 'reversals'))
    payment.giftCard.balance = {
      ...payment.giftCard.balance,
      value: payment.giftCard.balance.value + asked.value,
    }
  if (reason === null)
    books.effects.push({
      key: reference,
      kind: rules[kind].kind,
      payment: psp,
      amount: isoAmount(moved),
      currency: asked.currency,
    })
  books.notify({
    eventCode: rules[kind].eventCode,
    success: reason === null,
    pspReference,
    originalReference: psp,
    merchantReference: reference || payment.reference,
    amount: asked,
    reason: reason ?? '',
  })
  return {
    status: 201,
    body: {
      merchantAccount: MERCHANT,
      paymentPspReference: psp,
      pspReference,
      reference,
      status: 'received',
      ...(kind !== 'cancels' && kind !== 'reversals' && { amount: asked }),
    },
  }
}

/** `POST /cancels`: by the merchant's own reference; the webhook has that reference, too. */
export function technicalCancel(books: FakeBooks, body: Body): FakeAnswer {
  const paymentReference = `${body['paymentReference']}`
  const payment = books.byReference(paymentReference)
  const isCancellable = payment !== undefined && isHeld(payment) && payment.captured === 0
  const pspReference = books.nextPsp()
  if (isCancellable) {
    payment.cancelled = true
    const { psp, money } = payment
    books.effects.push({
      key: `${body['reference'] ?? paymentReference}`,
      kind: 'cancel',
      payment: psp,
      amount: isoAmount(money),
      currency: money.currency,
    })
  }
  books.notify({
    eventCode: 'TECHNICAL_CANCEL',
    success: isCancellable,
    pspReference,
    ...(payment && !payment.challenged && { originalReference: payment.psp }),
    merchantReference: paymentReference,
    amount: payment?.money ?? { value: 0, currency: 'EUR' },
    reason: isCancellable ? '' : 'Transaction not found',
  })
  return {
    status: 201,
    body: {
      merchantAccount: MERCHANT,
      paymentReference,
      pspReference,
      status: 'received',
      ...(typeof body['reference'] === 'string' && { reference: body['reference'] }),
    },
  }
}
