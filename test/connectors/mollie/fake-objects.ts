import {
  type Body,
  type FakeBooks,
  type FakeMovement,
  type FakePayment,
  moneyOf,
  textOf,
  unitsOf,
} from './fake-books.ts'

const CANCELABLE = new Set(['directdebit', 'klarna'])
export const PAGE_URL = 'https://www.mollie.com/checkout'

export const isCancelable = ({ status, body }: FakePayment) =>
  (status === 'open' || status === 'pending') && CANCELABLE.has(textOf(body['method']))

const sumOf = (movements: readonly FakeMovement[]) =>
  movements
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, { amount }) => sum + unitsOf(amount), 0)

export const capturedOf = ({ captures }: FakePayment) => sumOf(captures)
export const refundedOf = ({ refunds }: FakePayment) => sumOf(refunds)

export function paymentBody(books: FakeBooks, payment: FakePayment, embed?: string): Body {
  const { id, amount, body, status, failure } = payment
  const customerId = body['customerId'] ?? null
  const embeds = (name: string) => embed?.split(',').includes(name) === true
  const movements = (all: readonly FakeMovement[]) => all.map((each) => movementBody(books, payment, each))
  return {
    resource: 'payment',
    id,
    mode: 'test',
    description: body['description'],
    amount,
    amountRefunded: moneyOf(refundedOf(payment), amount.currency),
    amountCaptured: moneyOf(capturedOf(payment), amount.currency),
    status,
    method: body['method'] ?? null,
    metadata: body['metadata'] ?? null,
    profileId: 'pfl_fake',
    sequenceType: body['sequenceType'] ?? 'oneoff',
    captureMode: body['captureMode'] ?? 'automatic',
    customerId,
    mandateId: payment.mandateId,
    redirectUrl: body['redirectUrl'] ?? null,
    webhookUrl: body['webhookUrl'] ?? null,
    createdAt: books.iso(payment.createdAt),
    authorizedAt: books.iso(payment.authorizedAt),
    paidAt: books.iso(payment.paidAt),
    isCancelable: isCancelable(payment),
    ...(failure && {
      details: { failureReason: failure, failureMessage: `Failed: ${failure}` },
      statusReason: { code: failure, message: failure },
    }),
    ...(payment.mandateId &&
      !failure && {
        details: {
          cardNumber: '6787',
          cardLabel: 'Mastercard',
          cardExpiryDate: '2030-04-30',
          cardFunding: 'debit',
          cardCountryCode: 'NL',
        },
      }),
    _links: {
      self: { href: `https://api.mollie.com/v2/payments/${id}`, type: 'application/hal+json' },
      ...(payment.hasPage &&
        status === 'open' && { checkout: { href: `${PAGE_URL}/${id}`, type: 'text/html' } }),
    },
    ...(embed !== undefined && {
      _embedded: {
        ...(embeds('captures') && { captures: movements(payment.captures) }),
        ...(embeds('refunds') && { refunds: movements(payment.refunds) }),
        ...(embeds('chargebacks') && {
          chargebacks: payment.chargebacks.map((each) => chargebackBody(books, payment, each)),
        }),
      },
    }),
  }
}

export const movementBody = (books: FakeBooks, payment: FakePayment, movement: FakeMovement): Body => ({
  resource: movement.resource,
  id: movement.id,
  mode: 'test',
  description: '',
  amount: movement.amount,
  status: movement.status,
  metadata: movement.metadata,
  paymentId: payment.id,
  createdAt: books.iso(movement.createdAt),
  _links: {},
})

export const chargebackBody = (
  books: FakeBooks,
  payment: FakePayment,
  { id, amount, createdAt, reversedAt }: FakePayment['chargebacks'][number],
): Body => ({
  resource: 'chargeback',
  id,
  amount,
  reason: { code: 'AC01', description: 'Account identifier incorrect' },
  paymentId: payment.id,
  createdAt: books.iso(createdAt),
  reversedAt: books.iso(reversedAt),
  _links: {},
})
