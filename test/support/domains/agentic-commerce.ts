import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { contract } from '../../contracts/contract.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'
import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { delegatePaymentPath, delegationOf } from './delegated-payments.ts'

type Body = Record<string, unknown>
type Headers = Record<string, string>

export const checkoutsPath = '/agentic_commerce/checkout_sessions'
export const protocolHeaders = (): Headers => ({
  'api-version': '2026-04-17',
  'idempotency-key': randomUUID(),
})

/** A cart of two items with an address, as a platform sends it. */
export const cartOf = (more: Body = {}): Body => ({
  line_items: [{ id: 'item_1' }, { id: 'item_2' }],
  currency: 'eur',
  capabilities: { interventions: { supported: ['3ds', 'biometric'] } },
  buyer: { first_name: 'Jane', last_name: 'Doe', email: 'jane@example.com' },
  fulfillment_details: {
    name: 'Jane Doe',
    address: {
      name: 'Jane Doe',
      line_one: 'Main Street 1',
      city: 'Berlin',
      state: 'BE',
      country: 'DE',
      postal_code: '10115',
    },
  },
  metadata: { campaign: 'q4' },
  ...more,
})

const total = (type: string, amount: number) => ({ type, display_text: type, amount })

/** What the merchant of `startMerchant` answers for a cart: 8.00 for an item, 4.00 to send it, and an order. */
export function priceOf(
  { line_items, currency, reason, checkout_session_id }: Received['event'],
  each = 8_00,
) {
  const lines = line_items.map(({ id, quantity = 1 }: { id: string; quantity?: number }) => ({
    id: `line_${id}`,
    item: { id, name: `Item ${id}`, unit_amount: each },
    quantity,
    totals: [total('items_base_amount', each * quantity)],
  }))
  const goods = lines.reduce((sum: number, { quantity }: { quantity: number }) => sum + each * quantity, 0)
  return {
    status: 'ready_for_payment',
    currency,
    line_items: lines,
    totals: [
      total('items_base_amount', goods),
      total('subtotal', goods),
      total('fulfillment', 4_00),
      total('total', goods + 4_00),
    ],
    fulfillment_options: [
      { type: 'shipping', id: 'standard', title: 'Standard', totals: [total('total', 4_00)] },
    ],
    selected_fulfillment_options: [
      { type: 'shipping', option_id: 'standard', item_ids: lines.map(({ id }: { id: string }) => id) },
    ],
    messages: [],
    links: [{ type: 'terms_of_use', url: 'https://shop.example/terms' }],
    ...(reason === 'complete' && {
      order: {
        id: `order-${checkout_session_id}`,
        permalink_url: `https://shop.example/orders/${checkout_session_id}`,
        order_number: '1001',
      },
    }),
  }
}

/** A merchant's endpoint that prices carts. */
export interface PricingMerchant extends Receiver {
  /** Changes every price from now on; a function is answered as it is. */
  prices(change: Body | ((asked: Received['event']) => unknown)): void
}

export async function startMerchant(): Promise<PricingMerchant> {
  const receiver = await startReceiver()
  const prices: PricingMerchant['prices'] = (change) =>
    receiver.answers(({ event }, reply) => {
      const answer = typeof change === 'function' ? change(event) : { ...priceOf(event), ...change }
      reply
        .writeHead(200, { 'content-type': 'application/json' })
        .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  prices({})
  return { ...receiver, prices }
}

/** The URL of an endpoint that prices carts for as long as the process lives, for tests that have no end of their own. */
export async function pricingUrl(): Promise<string> {
  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const cart = JSON.parse(text)
    const status = cart.fulfillment_details ? 'ready_for_payment' : 'not_ready_for_payment'
    reply.writeHead(200).end(JSON.stringify({ ...priceOf(cart), status }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/price`
}

/** A new checkout of a merchant who sells through AI agents, and a token that pays it. */
export async function openCheckout(merchant: Client, now: number): Promise<{ id: string; token: string }> {
  await merchant.put('/agentic-seller', { pricing_url: await pricingUrl() })
  const { id } = (await merchant.post(checkoutsPath, cartOf(), protocolHeaders())).body
  const delegation = delegationOf(merchant.account, now, { allowance: { checkout_session_id: id } })
  const { body: token } = await merchant.post(delegatePaymentPath, delegation, protocolHeaders())
  return { id, token: token.id }
}

/** A platform that sells for a merchant: it checks each answer against the protocol's document. */
export interface AgentPlatform {
  create(cart?: Body, headers?: Headers): Promise<Answer>
  /** The id of a new checkout. */
  created(cart?: Body): Promise<string>
  read(id: string): Promise<Answer>
  update(id: string, body: Body, headers?: Headers): Promise<Answer>
  complete(id: string, token: string, more?: Body, headers?: Headers): Promise<Answer>
  cancel(id: string, headers?: Headers, body?: Body): Promise<Answer>
  /** A token for a checkout: the total, unless `allowance` says otherwise. */
  tokenFor(id: string, allowance?: Body, payment_method?: Body): Promise<string>
}

export function openAgentPlatform(railyard: TestRailyard, merchant: Client): AgentPlatform {
  const checks = contract('acp-agentic-checkout')
  const send = async (method: 'GET' | 'POST', path: string, body: Body | undefined, headers: Headers) => {
    const answer =
      method === 'GET'
        ? await merchant.get(path, { 'api-version': '2026-04-17' })
        : await merchant.post(path, body, { ...protocolHeaders(), ...headers })
    // the document has no 404 of operations that write: it has the form of the other errors
    const violations =
      answer.status === 404
        ? checks.schema('Error', answer.body)
        : checks.response({
            method,
            path: path.replace('/agentic_commerce', ''),
            status: answer.status,
            headers: Object.fromEntries(answer.headers),
            body: answer.body,
          })
    if (violations.length > 0)
      throw new Error(`${answer.status} ${JSON.stringify(answer.body)}: ${violations.join('; ')}`)
    return answer
  }
  const at = (id: string) => `${checkoutsPath}/${id}`
  const create: AgentPlatform['create'] = (cart = cartOf(), headers = {}) =>
    send('POST', checkoutsPath, cart, headers)
  const read: AgentPlatform['read'] = (id) => send('GET', at(id), undefined, {})
  return {
    create,
    read,
    created: async (cart) => {
      const answer = await create(cart)
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 })
      return answer.body.id
    },
    update: (id, body, headers = {}) => send('POST', at(id), body, headers),
    complete: (id, token, more = {}, headers = {}) =>
      send(
        'POST',
        `${at(id)}/complete`,
        {
          payment_data: {
            handler_id: 'card',
            instrument: { type: 'card', credential: { type: 'vault_token', token } },
          },
          ...more,
        },
        headers,
      ),
    cancel: (id, headers = {}, body) => send('POST', `${at(id)}/cancel`, body, headers),
    tokenFor: async (id, allowance = {}, payment_method = {}) => {
      const { totals, currency } = (await read(id)).body
      const answer = await merchant.post(
        delegatePaymentPath,
        delegationOf(merchant.account, railyard.clock.now(), {
          payment_method,
          allowance: { checkout_session_id: id, currency, max_amount: amountOf(totals), ...allowance },
        }),
        protocolHeaders(),
      )
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 })
      return answer.body.id
    },
  }
}

/** The total of a checkout. */
export const amountOf = (totals: { type: string; amount: number }[]): number =>
  totals.find(({ type }) => type === 'total')?.amount ?? 0
