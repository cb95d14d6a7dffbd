import { expect } from 'vitest'
import { checkWire } from '../../contracts/checked-http.ts'
import { contract } from '../../contracts/contract.ts'
import type { TestRailyard } from '../railyard.ts'
import { openShop, type Shop } from '../shop.ts'
import { startCheckedShop } from '../start-checked-shop.ts'

type Body = Record<string, unknown>

/** Where merchants send their buyers back to. */
export const SHOP_URL = 'https://shop.example/thanks'

export const bnplService = (more: Body = {}) => ({
  display_name: 'Pay later',
  payment_service_definition_id: 'bnpl-bnpl',
  fields: [
    { key: 'username', value: 'K123_test' },
    { key: 'password', value: 'sharedSecret' },
    { key: 'client_id', value: 'klarna_test_client_abc' },
    { key: 'environment', value: 'simulator' },
  ],
  accepted_currencies: ['EUR', 'USD'],
  accepted_countries: ['DE', 'US'],
  ...more,
})

export type ClientKind = 'web' | 'android' | 'ios'

/** A shop that lets its buyers pay later. */
export interface BnplShop extends Shop {
  serviceId: string
  /** POST /transactions; the buyer is asked on the provider's page unless `more` says otherwise. */
  buy(amount: number, more?: Body, headers?: Record<string, string>): ReturnType<Shop['post']>
  /** What the buyer does on the provider's page; answers where they are sent. */
  decide(approvalUrl: string, decision: 'approve' | 'decline' | 'cancel'): Promise<string>
  /** The buyer's browser follows a link, and stops where the merchant's shop begins. */
  browse(url: string): Promise<string>
  /** A payment that the buyer approved on the provider's page, and came back. */
  paidOnPage(amount: number, more?: Body): Promise<string>
  /** A payment whose buyer has approved it in the merchant's own page; `token` is what the page was given. */
  approvedInClient(amount: number, more?: Body): Promise<{ id: string; token: string }>
  complete(id: string, token?: string): ReturnType<Shop['get']>
  /** The provider's script in the buyer's browser. */
  script(path: string, body: Body): Promise<{ status: number; body: Body }>
  /** The token of a buyer who pressed the express button. */
  pressExpress(amount: number, more?: Body): Promise<string>
  buyExpress(amount: number, token: string, more?: Body): ReturnType<Shop['post']>
}

const method = { method: 'bnpl', country: 'DE', currency: 'EUR', redirect_url: SHOP_URL }

export async function openBnplShop(railyard: TestRailyard, more: Body = {}): Promise<BnplShop> {
  const shop = await openShop(railyard)
  const service = await railyard.admin.post('/payment-services', bnplService(more), {
    'x-svc-merchant-account-id': shop.account,
  })
  expect(service).toMatchObject({ status: 201 })
  const serviceId: string = service.body.id
  const buy: BnplShop['buy'] = (amount, body = {}, headers) =>
    shop.post(
      '/transactions',
      { amount, currency: 'EUR', country: 'DE', payment_method: method, ...body },
      headers,
    )
  const decide: BnplShop['decide'] = async (url, decision) => {
    // straight at the provider: a test may be about a server that cannot be reached
    const page = `${railyard.simulatorUrl}${url.slice(url.indexOf('/bnpl/'))}`
    const answer = await fetch(`${page}/${decision}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
    })
    const body = (await answer.json()) as { redirect_to: string }
    expect({ status: answer.status, body }).toMatchObject({ status: 200 })
    return body.redirect_to
  }
  const browse: BnplShop['browse'] = async (url) => {
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    return answer.headers.get('location') ?? ''
  }
  const script: BnplShop['script'] = async (path, body) => {
    const answer = await fetch(`${railyard.simulatorUrl}/bnpl/${serviceId}/sdk/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://shop.example' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Body }
  }
  return {
    ...shop,
    serviceId,
    buy,
    decide,
    browse,
    script,
    async paidOnPage(amount, body) {
      const created = await buy(amount, body)
      expect(created).toMatchObject({ status: 201, body: { status: 'buyer_approval_pending' } })
      await browse(await decide(created.body.payment_method.approval_url, 'approve'))
      return created.body.id
    },
    async approvedInClient(amount, body) {
      const created = await buy(amount, { integration_client: 'web', ...body })
      expect(created).toMatchObject({ status: 201, body: { status: 'buyer_approval_pending' } })
      const session = await shop.post(
        `/transactions/${created.body.id}/session?token=${created.body.session_token}`,
      )
      const approved = await script(`sessions/${session.body.session_data.client_token}/authorize`, {
        approved: true,
      })
      return { id: created.body.id, token: String(approved.body['authorization_token']) }
    },
    complete: (id, token) =>
      shop.get(`/transactions/${id}/complete${token === undefined ? '' : `?authorization_token=${token}`}`),
    async pressExpress(amount, body) {
      const answer = await script('express', {
        client_id: 'klarna_test_client_abc',
        purchase_country: 'DE',
        purchase_currency: 'EUR',
        order_amount: amount,
        order_lines: [
          { name: 'Order', type: 'physical', quantity: 1, unit_price: amount, total_amount: amount },
        ],
        approved: true,
        ...body,
      })
      expect(answer).toMatchObject({ status: 200, body: { approved: true } })
      return String(answer.body['authorization_token'])
    },
    buyExpress: (amount, token, body) =>
      buy(amount, { connection_options: { 'bnpl-bnpl': { authorization_token: token } }, ...body }),
  }
}

/** An instance with this shop for all tests of a file. `faults`: the answers are not checked. */
export const startBnplShop = ({
  env,
  faults = false,
}: {
  env?: Record<string, string>
  faults?: boolean
} = {}) =>
  startCheckedShop({
    env,
    check: (railyard) => checkWire(railyard, '/bnpl/', [contract('bnpl')], { faults }),
    open: openBnplShop,
  })
