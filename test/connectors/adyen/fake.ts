import type { BuyerDecision, FakeAnswer, FakeProvider } from '../../../src/connector-kit/fake-provider.ts'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { type Contract, contract } from '../../contracts/contract.ts'
import { inContract, membersIn, type ProcessedRequest } from '../support/fake-request.ts'
import { fakeBooks } from './fake-books.ts'
import { answerStoredValue, type FakeGiftCards, payGiftCard } from './fake-gift-cards.ts'
import { answerManagement } from './fake-management.ts'
import { modify, technicalCancel } from './fake-modifications.ts'
import {
  type Body,
  completeDetails,
  decidedAnswer,
  openPayment,
  openSession,
  pay,
  serviceError,
} from './fake-payments.ts'

export { HMAC_KEY, MERCHANT } from './fake-books.ts'

export const API_KEY = 'AQEyhmfxLIrIaBdEw0m'
const SEVEN_DAYS_MS = 7 * 24 * 3_600_000

const checkout = contract('adyen-checkout')
const storedValue = contract('adyen-storedvalue')
/** Each API has a path of its own. */
const apis: readonly [prefix: string, contract: Contract][] = [
  ['/v71', checkout],
  ['/pal/servlet/StoredValue/v46', storedValue],
  ['/v3', contract('adyen-management')],
  ['/ca/services/DisputeService/v30', contract('adyen-disputes')],
]

export interface AdyenFake extends FakeProvider {
  now(): number
  /** The capture, refund or sale of this operation fails after it had succeeded. */
  takeBack(operation: string): void
  /** Every request that was processed, oldest first. */
  readonly requests: ProcessedRequest[]
  /** The gift cards that the provider knows. */
  readonly giftCards: FakeGiftCards
}

const isGiftCard = ({ paymentMethod: method }: Body): boolean =>
  typeof method === 'object' && method !== null && 'type' in method && method.type === 'giftcard'

/** Adyen in memory: no request reads a payment, and every modification is told by a webhook. */
export function adyenFake(start = Date.UTC(2026, 10, 23)): AdyenFake {
  let now = start
  const books = fakeBooks(() => now)
  const sessions = new Map<string, Body>()
  const management = answerManagement()
  const giftCards: FakeGiftCards = new Map()
  const keys = new Map<string, { answer: FakeAnswer; until: number }>()
  const requests: AdyenFake['requests'] = []

  const answerCheckout = (method: string, path: string, body: Body): FakeAnswer => {
    const [, first = '', second = '', third = ''] = path.split('/')
    if (method === 'GET' && first === 'sessions') return sessionResult(second)
    if (path === '/payments') return isGiftCard(body) ? payGiftCard(books, giftCards, body) : pay(books, body)
    if (path === '/payments/details') return completeDetails(books, body)
    if (path === '/cancels') return technicalCancel(books, body)
    if (path === '/sessions') return openSession(books, sessions, body, now)
    if (path === '/paymentMethods') return { status: 200, body: { paymentMethods: [] } }
    if (path === '/storedPaymentMethods') return { status: 201, body: { id: 'M5N7TQ4TG5PFWR50' } }
    return first === 'payments' ? modify(books, second, third, body) : { status: 404 }
  }

  function sessionResult(id: string): FakeAnswer {
    const session = sessions.get(id)
    if (!session) return { status: 404 }
    const reference = `${session['reference']}`
    const payment = books.byReference(reference)
    const isPaid = payment && !payment.refusal
    return {
      status: 200,
      body: {
        id,
        reference,
        status: isPaid ? 'completed' : 'active',
        ...(isPaid && {
          payments: [{ pspReference: payment.psp, resultCode: 'Authorised', amount: payment.money }],
        }),
      },
    }
  }

  function answerOf(known: Contract, method: string, path: string, body: Body): FakeAnswer {
    if (known === checkout) return answerCheckout(method, path, body)
    return known === storedValue
      ? answerStoredValue(books, giftCards, path, body)
      : management(method, path, body)
  }

  function receive({ method, url, headers = {}, body }: HttpRequest): FakeAnswer {
    const { pathname, searchParams } = new URL(url)
    const [prefix, known] = apis.find(([each]) => pathname.startsWith(each)) ?? []
    if (prefix === undefined || !known) return { status: 404 }
    const path = pathname.slice(prefix.length)
    if (headers['x-api-key'] !== API_KEY)
      return serviceError(401, '000', 'HTTP Status Response - Unauthorized', 'security')
    const violations = known.request({
      method,
      path,
      query: Object.fromEntries(searchParams),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body,
    })
    if (violations.length > 0) return serviceError(422, '702', violations.join('; '), 'validation')
    const key = method === 'POST' ? headers['idempotency-key'] : undefined
    const kept = key === undefined ? undefined : keys.get(key)
    if (kept && kept.until > now) return kept.answer
    const sent = membersIn(body)
    if (path === '/sessions' && Date.parse(`${sent['expiresAt']}`) <= now)
      return serviceError(422, '702', "Field 'expiresAt' is not valid.", 'validation')
    requests.push({ method, path, body: sent, key })
    const answer = inContract(known, { method, path }, answerOf(known, method, path, sent))
    if (key !== undefined) keys.set(key, { answer, until: now + SEVEN_DAYS_MS })
    return answer
  }

  function visit(url: string, decision: BuyerDecision): Record<string, string> {
    const id = url.split('/').at(-1) ?? ''
    const session = sessions.get(id)
    if (!session) return decision === 'abandon' ? {} : { redirectResult: `${id}:${decision}` }
    if (decision === 'abandon' || now > Date.parse(`${session['expiresAt']}`)) return {}
    const payment = openPayment(books, session)
    payment.capturesAtOnce = session['captureDelayHours'] === 0
    if (decision === 'decline') payment.refusal = { code: '2', reason: 'Refused' }
    books.authorize(payment)
    decidedAnswer(payment)
    return { sessionId: id, sessionResult: `result-${id}` }
  }

  return {
    receive,
    visit,
    requests,
    takeBack(operation) {
      const effect = books.effects.find(({ key }) => key === operation)
      const payment = effect && books.payments.get(effect.payment)
      if (!effect || !payment) throw new Error(`no effect of ${operation}`)
      const money = { value: effect.amount, currency: effect.currency }
      payment[effect.kind === 'refund' ? 'refunded' : 'captured'] -= money.value
      if (payment.giftCard) {
        const { balance } = payment.giftCard
        payment.giftCard.balance = { ...balance, value: balance.value - money.value }
      }
      books.notify({
        eventCode: effect.kind === 'refund' ? 'REFUND_FAILED' : 'CAPTURE_FAILED',
        success: true,
        pspReference: books.nextPsp(),
        originalReference: effect.payment,
        merchantReference: operation,
        amount: money,
        reason: 'Insufficient balance',
      })
    },
    giftCards,
    effects: () => books.effects,
    takeNotifications: books.takeNotifications,
    foreignNotification: books.foreignNotification,
    now: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}
