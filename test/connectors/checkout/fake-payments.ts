import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import codes from '../../contracts/codes/checkout.json' with { type: 'json' }
import { type Body, type FakeBooks, type FakePayment, summaryOf } from './fake-books.ts'

export const invalid = (...codes: string[]): FakeAnswer => ({
  status: 422,
  body: { request_id: '0HL80RJLS76I7', error_type: 'request_invalid', error_codes: codes },
})

/** Card numbers of Checkout.com's test system, with the response code of each. */
const codesByNumber = new Map([
  ...codes.test.cards
    .map(({ number, response_code: code }) => [number, code.slice(0, 5)] as const)
    .toReversed(),
  ...codes.test.three_d_secure.map(({ number }) => [number, '10000'] as const),
  ['4111111111111111', '10000'],
])

/** The card for which the provider's simulator of 3-D Secure shows a challenge. */
const CHALLENGED_CARD = '4242424242424242'

/** `POST /tokens`: what the browser script makes of a test card. */
export function makeToken(books: FakeBooks, body: Body, now: number): FakeAnswer {
  const number = `${body['number']}`
  if (!codesByNumber.has(number)) return invalid('card_number_invalid')
  const token = books.newId('tok')
  books.tokens.set(token, number)
  return {
    status: 201,
    body: {
      type: 'card',
      token,
      expires_on: new Date(now + 15 * 60_000).toISOString(),
      expiry_month: body['expiry_month'],
      expiry_year: body['expiry_year'],
      scheme: 'Visa',
      last4: number.slice(-4),
      bin: number.slice(0, 6),
      card_type: 'CREDIT',
    },
  }
}

/**
 * How a source pays: `tok_20051` is declined so, `tok_challenged` is challenged, `tok_part` pays half, the capture that follows
 * the approval of `tok_capture_20005` is declined so. */
function behaviourOf(
  books: FakeBooks,
  source: Body,
): { code: string; isChallenged?: true; isEnrolled?: true; pays?: number; captureCode?: string } {
  const token = `${source['token'] ?? source['id'] ?? ''}`
  const asked = /^tok_(?:challenged_)?([1-5][0-9A-Z]{4})$/.exec(token)?.[1]
  const number = books.tokens.get(token) ?? `${source['number'] ?? ''}`
  const byNumber = codesByNumber.get(number)
  if (books.tokens.has(token) && number === CHALLENGED_CARD) return { code: '10000', isEnrolled: true }
  const isChallenged = token.startsWith('tok_challenged')
  if (token.startsWith('tok_capture_'))
    return { code: '10000', captureCode: token.slice('tok_capture_'.length) }
  if (token === 'tok_part') return { code: '10010', pays: 0.5 }
  return { code: asked ?? byNumber ?? '10000', ...(isChallenged && { isChallenged }) }
}

const links = ({ id }: FakePayment, redirect?: string) => ({
  self: { href: `https://api.sandbox.checkout.com/payments/${id}` },
  actions: { href: `https://api.sandbox.checkout.com/payments/${id}/actions` },
  ...(redirect && { redirect: { href: redirect } }),
})

const pageOf = ({ id }: FakePayment): string => `https://3ds2-sandbox.ckotech.co/interceptor/${id}`

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null

/** Adds a payment that is not decided yet. */
function newPayment(books: FakeBooks, body: Body, now: number, responseCode: string): FakePayment {
  const requested = Number(body['amount'] ?? 0)
  const payment: FakePayment = {
    id: books.newId('pay'),
    reference: `${body['reference']}`,
    currency: `${body['currency']}`,
    requested,
    amount: requested,
    status: 'Pending',
    isSale: body['capture'] !== false && requested > 0,
    isEstimated: body['authorization_type'] === 'Estimated',
    responseCode,
    captured: 0,
    refunded: 0,
    voided: 0,
    captureClosed: false,
    requestedAt: now,
    actions: [],
    stored: books.newId('src'),
  }
  books.payments.set(payment.id, payment)
  return payment
}

/** A payout is paid, or declined by the card, after its answer. */
function payOut(books: FakeBooks, body: Body, destination: Body, now: number): FakeAnswer {
  const payment = newPayment(books, body, now, behaviourOf(books, destination).code)
  const isPaid = payment.responseCode.startsWith('10')
  payment.status = isPaid ? 'Paid' : 'Declined'
  books.act(payment, 'Payout', {
    amount: payment.amount,
    reference: payment.reference,
    code: payment.responseCode,
    event: isPaid ? 'payment_payout_paid' : 'payment_payout_declined',
    kind: 'payout',
  })
  const { id, reference } = payment
  return { status: 202, body: { id, status: 'Pending', reference, instruction: {}, _links: links(payment) } }
}

/** `POST /payments`. */
export function pay(books: FakeBooks, body: Body, now: number): FakeAnswer {
  if (isObject(body['destination'])) return payOut(books, body, body['destination'], now)
  const source = isObject(body['source']) ? body['source'] : {}
  if (source['token'] === 'tok_expired') return invalid('token_expired')
  const { code, isChallenged, isEnrolled, pays = 1, captureCode } = behaviourOf(books, source)
  const requested = Number(body['amount'] ?? 0)
  if (body['payment_type'] === 'Regular' && body['merchant_initiated'] === true)
    return invalid('payment_type_invalid')
  const isPart =
    pays < 1 && isObject(body['partial_authorization']) && body['partial_authorization']['enabled'] === true
  const payment = newPayment(books, body, now, pays < 1 && !isPart ? '20051' : code)
  if (captureCode !== undefined) payment.captureCode = captureCode
  if (isPart) payment.amount = Math.floor(requested * pays)
  const wants = isObject(body['3ds']) ? body['3ds'] : {}
  const mayChallenge = wants['cryptogram'] === undefined && wants['allow_upgrade'] === true
  if ((isChallenged || (isEnrolled && wants['enabled'] === true)) && mayChallenge)
    return {
      status: 202,
      body: {
        id: payment.id,
        status: 'Pending',
        reference: payment.reference,
        '3ds': { downgraded: false, enrolled: 'Y' },
        _links: links(payment, pageOf(payment)),
      },
    }
  if (isChallenged && wants['cryptogram'] === undefined) payment.responseCode = '20154'
  decide(books, payment)
  return { status: 201, body: created(payment, source) }
}

/** The issuer's answer. */
export function decide(books: FakeBooks, payment: FakePayment): void {
  const { responseCode: code, amount, reference, captureCode = '10000' } = payment
  const isCaptured = payment.isSale && captureCode.startsWith('10')
  const approved = code.startsWith('10')
  const isCheck = payment.requested === 0
  if (!approved) payment.status = 'Declined'
  else payment.status = isCheck ? 'Card Verified' : isCaptured ? 'Captured' : 'Authorized'
  const event = isCheck
    ? approved
      ? 'card_verified'
      : 'card_verification_declined'
    : approved
      ? 'payment_approved'
      : 'payment_declined'
  books.act(payment, isCheck ? 'Card Verification' : 'Authorization', {
    amount,
    reference,
    code,
    event,
    ...(approved && { kind: isCaptured ? 'sale' : 'authorize' }),
  })
  if (approved && payment.isSale) {
    if (isCaptured) payment.captured = amount
    const event = isCaptured ? 'payment_captured' : 'payment_capture_declined'
    books.act(payment, 'Capture', { amount, reference, code: captureCode, event })
  }
}

const instrumentOf = (payment: FakePayment) => ({
  id: payment.stored,
  type: 'card',
  expiry_month: 12,
  expiry_year: 2030,
  scheme: 'Visa',
  last4: '4242',
  bin: '424242',
  card_type: 'CREDIT',
  issuer_country: 'GB',
  avs_check: 'Y',
  cvv_check: 'Y',
})

function created(payment: FakePayment, source: Body): Body {
  const approved = payment.responseCode.startsWith('10')
  const { store_for_future_use: stores } = source
  const { id: _, ...card } = instrumentOf(payment)
  return {
    id: payment.id,
    action_id: payment.actions[0]?.id ?? '',
    amount: payment.amount,
    amount_requested: payment.requested,
    currency: payment.currency,
    approved,
    // the capture of a sale follows the answer
    status: payment.status === 'Captured' ? 'Authorized' : payment.status,
    response_code: payment.responseCode,
    response_summary: summaryOf(payment.responseCode),
    processed_on: payment.actions[0]?.processed_on ?? '',
    reference: payment.reference,
    scheme_id: '489341065491658',
    source: stores === false ? card : { id: payment.stored, ...card },
    processing: { partner_merchant_advice_code: '24' },
    _links: links(payment),
  }
}

const CHALLENGE_MS = 15 * 60_000

/** `GET /payments/{id}`. */
export function readPayment(payment: FakePayment, now: number): Body {
  if (payment.status === 'Pending' && now > payment.requestedAt + CHALLENGE_MS) payment.status = 'Expired'
  const isPending = payment.status === 'Pending'
  return {
    id: payment.id,
    requested_on: new Date(payment.requestedAt).toISOString(),
    amount: payment.amount,
    amount_requested: payment.requested,
    currency: payment.currency,
    approved: !['Pending', 'Declined', 'Expired'].includes(payment.status),
    status: payment.status,
    reference: payment.reference,
    scheme_id: '489341065491658',
    source: instrumentOf(payment),
    actions: payment.actions.map(({ id, type, response_code, response_summary }) => ({
      id,
      type,
      response_code,
      response_summary,
    })),
    _links: links(payment, isPending ? pageOf(payment) : undefined),
  }
}
