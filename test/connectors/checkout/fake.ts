import type { BuyerDecision, FakeAnswer, FakeProvider } from '../../../src/connector-kit/fake-provider.ts'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { contract } from '../../contracts/contract.ts'
import { inContract, membersIn, type ProcessedRequest } from '../support/fake-request.ts'
import { type Body, type FakeBooks, type FakePayment, fakeBooks } from './fake-books.ts'
import { decide, invalid, makeToken, pay, readPayment } from './fake-payments.ts'
import { fakeReports } from './fake-reports.ts'
import { steps } from './fake-steps.ts'

export { WEBHOOK_KEY } from './fake-books.ts'

export const SECRET_KEY = 'sk_sbox_abcdefghijklmnopqrstuvwxyza'
export const PUBLIC_KEY = 'pk_sbox_abcdefghijklmnopqrstuvwxyza'
const DAY_MS = 24 * 3_600_000

const published = contract('checkout')

export interface CheckoutFake extends FakeProvider {
  now(): number
  /** Every request that was processed, oldest first. */
  readonly requests: ProcessedRequest[]
  readonly books: FakeBooks
  readonly workflows: Map<string, Body>
  readonly disputes: Map<string, { evidence: Body; submitted: boolean; accepted: boolean }>
  /** The response code of the next capture, void, refund or increment. */
  answerNextStep(code: string): void
  /** The capture or refund of this operation is declined after it was approved. */
  takeBack(operation: string): void
  /** What was not paid out before is in a report; answers the name of its file. */
  payOut(): string
  /** The search by reference does not find payments until `at`. */
  hideFromSearchUntil(at: number): void
}

/** Checkout.com in memory. Only answers of success are kept under a key, for a day. */
export function checkoutFake(start = Date.UTC(2026, 10, 23)): CheckoutFake {
  let now = start
  let nextStepCode = '10000'
  let hiddenUntil = 0
  const books = fakeBooks(() => now)
  const reports = fakeReports(books)
  const workflows: CheckoutFake['workflows'] = new Map()
  const disputes: CheckoutFake['disputes'] = new Map()
  const keys = new Map<string, { answer: FakeAnswer; until: number }>()
  const requests: CheckoutFake['requests'] = []

  const routes: Readonly<Record<string, (request: Routed) => FakeAnswer>> = {
    payments: (request) => onPayments(request),
    tokens: ({ body }) => makeToken(books, body, now),
    workflows: ({ method, id, body }) => {
      if (method === 'GET') return { status: 200, body: { data: [...workflows.values()] } }
      if (method === 'DELETE') return { status: workflows.delete(id) ? 204 : 404 }
      const workflow = { ...body, id: books.newId('wf') }
      workflows.set(workflow.id, workflow)
      return {
        status: 201,
        body: { id: workflow.id, _links: { self: { href: `https://api.test/workflows/${workflow.id}` } } },
      }
    },
    reports: ({ id, file, query }) => reports.route(id, file, query),
    files: () => ({ status: 200, body: { id: books.newId('file') } }),
    disputes: ({ method, id, part, body }) => {
      const dispute = disputes.get(id)
      if (!dispute) return { status: 404 }
      if (part === 'accept') dispute.accepted = true
      else if (method === 'PUT') dispute.evidence = { ...dispute.evidence, ...body }
      else if (Object.keys(dispute.evidence).length === 0) return invalid('evidence_not_provided')
      else dispute.submitted = true
      return { status: 204 }
    },
  }

  function onPayments({ method, id, part, body, query }: Routed): FakeAnswer {
    if (method === 'GET' && id === '') {
      const found = [...books.payments.values()].filter(
        ({ reference }) => reference === query.get('reference') && now >= hiddenUntil,
      )
      const data = found.map((payment) => readPayment(payment, now))
      return { status: 200, body: { limit: 10, skip: 0, total_count: data.length, data } }
    }
    if (id === '') return pay(books, body, now)
    const payment = books.payments.get(id)
    if (!payment) return { status: 404 }
    if (part === '') return { status: 200, body: readPayment(payment, now) }
    if (method === 'GET') return { status: 200, body: payment.actions }
    const code = nextStepCode
    nextStepCode = '10000'
    return steps[part]?.(books, payment, body, code) ?? { status: 404 }
  }

  function receive({ method, url, headers = {}, body: json, parts }: HttpRequest): FakeAnswer {
    // a file is as good as its name here
    const body = parts
      ? Object.fromEntries(parts.map(({ name, content, file }) => [name, file?.name ?? content]))
      : json
    const type = parts ? 'multipart/form-data' : 'application/json'
    const { pathname: path, searchParams } = new URL(url)
    // the browser has the public key only
    const needed = path === '/tokens' ? PUBLIC_KEY : SECRET_KEY
    if (headers['authorization'] !== `Bearer ${needed}`) return { status: 401 }
    const violations = published.request({
      method,
      path,
      query: Object.fromEntries(searchParams),
      headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
      body,
    })
    if (violations.length > 0)
      return { status: 422, body: { error_type: 'request_invalid', error_codes: violations } }
    const key = method === 'POST' ? headers['cko-idempotency-key'] : undefined
    const kept = key === undefined ? undefined : keys.get(`${path} ${key}`)
    if (kept && kept.until > now) return kept.answer
    const sent = membersIn(body)
    requests.push({ method, path, body: sent, key })
    const [, root = '', id = '', part = '', file = ''] = path.split('/').map(decodeURIComponent)
    const route = Object.hasOwn(routes, root) ? routes[root] : undefined
    const done = route?.({ method, id, part, file, body: sent, query: searchParams }) ?? { status: 404 }
    const answer = inContract(published, { method, path }, done)
    if (key !== undefined && answer.status < 300) keys.set(`${path} ${key}`, { answer, until: now + DAY_MS })
    return answer
  }

  function visit(url: string, decision: BuyerDecision): Record<string, string> {
    const payment: FakePayment | undefined = books.payments.get(url.split('/').at(-1) ?? '')
    if (decision === 'abandon' || payment?.status !== 'Pending') return {}
    if (decision === 'decline') payment.responseCode = '20151'
    decide(books, payment)
    return { 'cko-session-id': `sid_${payment.id.slice(4)}` }
  }

  return {
    receive,
    visit,
    requests,
    books,
    workflows,
    disputes,
    effects: () => books.effects,
    takeNotifications: books.takeNotifications,
    foreignNotification: books.foreignNotification,
    answerNextStep: (code) => {
      nextStepCode = code
    },
    takeBack: (operation) => {
      for (const payment of books.payments.values()) {
        const action = payment.actions.find(
          ({ reference, type }) => reference === operation && /^(Capture|Refund)$/.test(type),
        )
        if (!action) continue
        const isCapture = action.type === 'Capture'
        payment[isCapture ? 'captured' : 'refunded'] -= action.amount
        if (isCapture) payment.captureClosed = false
        Object.assign(action, {
          approved: false,
          response_code: '20005',
          response_summary: 'Declined - Do Not Honour',
        })
        books.notify(isCapture ? 'payment_capture_declined' : 'payment_refund_declined', {
          id: payment.id,
          action_id: action.id,
          reference: operation,
          amount: action.amount,
          currency: payment.currency,
          response_code: action.response_code,
          response_summary: action.response_summary,
        })
      }
    },
    payOut: reports.payOut,
    hideFromSearchUntil: (at) => {
      hiddenUntil = at
    },
    now: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}

interface Routed {
  method: string
  id: string
  part: string
  file: string
  body: Body
  query: URLSearchParams
}
