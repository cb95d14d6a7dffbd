import type { BuyerDecision, FakeAnswer, FakeProvider } from '../../../src/connector-kit/fake-provider.ts'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { contract } from '../../contracts/contract.ts'
import { inContract, membersIn, type ProcessedRequest } from '../support/fake-request.ts'
import {
  type Body,
  type FakeBooks,
  type FakePayment,
  fakeBooks,
  memberOf,
  problem,
  textOf,
} from './fake-books.ts'
import { chargebackBody, movementBody, paymentBody } from './fake-objects.ts'
import {
  cancelPayment,
  createMovement,
  createPayment,
  releaseAuthorization,
  settle,
  usualWaits,
  visitPage,
  type Waits,
} from './fake-payments.ts'
import { fakeSettlements } from './fake-settlements.ts'

export const API_KEY = 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM'
const HOUR_MS = 3_600_000
const published = contract('mollie')

export interface MollieFake extends FakeProvider {
  now(): number
  /** Every request that was processed, oldest first. */
  readonly requests: ProcessedRequest[]
  readonly books: FakeBooks
  /** The issuer takes the money of a payment back, or returns it. */
  chargeBack(payment: string): void
  reverseChargeback(payment: string): void
  /** The capture or refund of this operation fails after it had succeeded. */
  takeBack(operation: string): void
  /** Pays out all that was not paid out before; answers the settlement's id. */
  payOut(): string
  /** Whether the token may read the balance. */
  readonly balance: { isForbidden: boolean }
}

interface Asked {
  method: string
  steps: readonly string[]
  query: URLSearchParams
  body: Body
  key: string
}

const missing = () => problem(404, 'No such resource')

/** Mollie in memory: keys live for an hour, and captures, refunds and releases take their time. */
export function mollieFake(start = Date.UTC(2026, 10, 23), waits: Waits = usualWaits): MollieFake {
  let now = start
  const books = fakeBooks(() => now)
  const keys = new Map<string, { request: string; answer: FakeAnswer; until: number }>()
  const requests: MollieFake['requests'] = []
  const settlements = fakeSettlements(books)
  const balance = { isForbidden: false }

  function receive({ method, url, headers = {}, body }: HttpRequest): FakeAnswer {
    const { pathname: path, searchParams } = new URL(url)
    if (headers['authorization'] !== `Bearer ${API_KEY}`) return problem(401, 'Missing authentication')
    const { testmode: _environment, ...query } = Object.fromEntries(searchParams)
    const violations = published.request({
      method,
      path,
      query,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body,
    })
    if (violations.length > 0) return problem(422, violations.join('; '), 'body')
    const key = method === 'GET' ? undefined : headers['idempotency-key']
    const request = JSON.stringify([method, path, body])
    const kept = key === undefined ? undefined : keys.get(key)
    if (kept && kept.until > now)
      return kept.request === request ? kept.answer : problem(400, 'The idempotency key has other parameters')
    const sent = membersIn(body)
    requests.push({ method, path, body: sent, key })
    const steps = path.split('/').slice(2)
    const done = answerTo({ method, steps, query: searchParams, body: sent, key: key ?? '' })
    const answer = inContract(published, { method, path }, done)
    if (key !== undefined) keys.set(key, { request, answer: structuredClone(answer), until: now + HOUR_MS })
    return answer
  }

  function answerTo(asked: Asked): FakeAnswer {
    const [resource = '', id = ''] = asked.steps
    if (resource === 'payments') {
      if (id === '') return asked.method === 'POST' ? createPayment(books, asked.body) : listPayments(asked)
      const payment = books.payment(id)
      return payment ? answerPayment(payment, asked) : missing()
    }
    if (resource === 'balances') return answerBalance(asked)
    if (resource === 'settlements') return answerSettlement(asked)
    if (resource === 'customers') return answerCustomer(books, asked)
    if (resource === 'webhooks') return answerWebhook(books, asked)
    if (resource === 'profiles')
      return {
        status: 200,
        body: {
          resource: 'profile',
          id: 'pfl_fake',
          mode: 'test',
          name: 'Shop',
          status: 'verified',
          _links: {},
        },
      }
    return missing()
  }

  function answerPayment(payment: FakePayment, { method, steps, query, body, key }: Asked): FakeAnswer {
    const action = steps[2]
    if (action === 'release-authorization') return releaseAuthorization(books, payment, key)
    if (action === 'captures' || action === 'refunds') {
      if (method === 'POST')
        return createMovement(books, payment, action === 'captures' ? 'capture' : 'refund', body)
      const movements = payment[action].map((each) => movementBody(books, payment, each))
      return listed(action, movements, query)
    }
    if (method === 'DELETE') return cancelPayment(books, payment)
    return { status: 200, body: paymentBody(books, payment, query.get('embed') ?? undefined) }
  }

  function answerSettlement({ steps: [, id, list = ''], query }: Asked): FakeAnswer {
    // pages of two, so that every list has several
    const paged = new URLSearchParams({ ...Object.fromEntries(query), limit: '2' })
    if (id === undefined) return listed('settlements', settlements.list(), paged)
    const items = settlements.items(id, list)
    return items ? listed(list, items, paged) : missing()
  }

  function answerBalance({ steps: [, id], query }: Asked): FakeAnswer {
    if (balance.isForbidden) return problem(403, 'The token lacks balances.read')
    if (id !== 'primary')
      return listed(
        'balance_transactions',
        settlements.transactions(),
        new URLSearchParams({ ...Object.fromEntries(query), limit: '2' }),
      )
    const body = { resource: 'balance', id: 'bal_1', currency: 'EUR', status: 'active', _links: {} }
    return { status: 200, body }
  }

  const listPayments = ({ query }: Asked) =>
    listed('payments', books.payments.map((each) => paymentBody(books, each)).toReversed(), query)

  return {
    receive,
    requests,
    books,
    visit(url: string, decision: BuyerDecision) {
      const payment = books.payment(url.split('/').at(-1) ?? '')
      if (payment) visitPage(books, payment, decision)
      return {}
    },
    effects: () => books.effects,
    takeNotifications: books.takeNotifications,
    chargeBack(id) {
      const payment = books.payment(id)
      if (!payment) throw new Error(`no payment ${id}`)
      const chargeback = {
        id: books.nextId('chb'),
        amount: payment.amount,
        createdAt: now,
        reversedAt: null,
      }
      payment.chargebacks.push(chargeback)
      books.notify(payment, 'chargeback.received', chargebackBody(books, payment, chargeback))
    },
    takeBack(operation) {
      for (const payment of books.payments)
        for (const movement of [...payment.captures, ...payment.refunds]) {
          if (memberOf(movement.metadata, 'operation_id') !== operation) continue
          movement.status = 'failed'
          books.notify(payment, `${movement.resource}.failed`, movementBody(books, payment, movement))
        }
    },
    reverseChargeback(id) {
      const payment = books.payment(id)
      const chargeback = payment?.chargebacks[0]
      if (!payment || !chargeback) throw new Error(`no chargeback of ${id}`)
      chargeback.reversedAt = now
      books.notify(payment, 'chargeback.reversed', chargebackBody(books, payment, chargeback))
    },
    payOut: settlements.payOut,
    balance,
    now: () => now,
    advance(ms) {
      now += ms
      settle(books, waits)
    },
  }
}

/** A page of a list, which begins with the item `from`. */
function listed(name: string, items: readonly Body[], query: URLSearchParams): FakeAnswer {
  const limit = Number(query.get('limit') ?? 50)
  const from = query.get('from')
  const start = from === null ? 0 : items.findIndex(({ id }) => id === from)
  const page = items.slice(start, start + limit)
  const next = items[start + limit]
  return {
    status: 200,
    body: {
      count: page.length,
      _embedded: { [name]: page },
      _links: {
        next: next
          ? { href: `https://api.mollie.com/v2/${name}?from=${textOf(next['id'])}&limit=${limit}` }
          : null,
      },
    },
  }
}

function answerCustomer(books: FakeBooks, { method, steps, body }: Asked): FakeAnswer {
  const [, id = '', , mandate = ''] = steps
  const createdAt = new Date(books.now()).toISOString()
  if (method === 'POST') {
    const made = books.nextId('cst')
    books.customers.set(made, body)
    return {
      status: 201,
      body: { resource: 'customer', id: made, mode: 'test', ...body, createdAt, _links: {} },
    }
  }
  const known = books.mandates.get(mandate)
  if (known?.customer !== id) return missing()
  return {
    status: 200,
    body: {
      resource: 'mandate',
      id: mandate,
      mode: 'test',
      method: 'creditcard',
      status: known.status,
      createdAt,
      _links: {},
    },
  }
}

function answerWebhook(books: FakeBooks, { method, steps, query, body }: Asked): FakeAnswer {
  const toBody = (id: string, webhook: { body: Body; createdAt: number }): Body => ({
    resource: 'webhook',
    id,
    url: webhook.body['url'],
    name: webhook.body['name'],
    eventTypes: [webhook.body['eventTypes']].flat(),
    status: 'enabled',
    mode: 'test',
    createdAt: books.iso(webhook.createdAt),
    _links: {},
  })
  if (method === 'POST') {
    const id = books.nextId('hook')
    const webhook = { body, secret: `secret-of-${id}`, createdAt: books.now() }
    books.webhooks.set(id, webhook)
    return { status: 201, body: { ...toBody(id, webhook), webhookSecret: webhook.secret } }
  }
  if (method === 'DELETE') return books.webhooks.delete(steps[1] ?? '') ? { status: 204 } : missing()
  return listed(
    'webhooks',
    [...books.webhooks].map(([id, webhook]) => toBody(id, webhook)),
    query,
  )
}
