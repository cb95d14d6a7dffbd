import { expect } from 'vitest'
import type { Answer, TestRailyard } from '../railyard.ts'
import { openShop, type Payment, type Shop } from '../shop.ts'

type Body = Record<string, unknown>

/** A payment that a buyer is asked for on the simulator's page, and what that buyer does there. */
export interface MethodPayment extends Payment {
  created: Answer['body']
  /** Decides on the page and goes back to the shop. */
  decides(decision: 'approve' | 'decline' | 'cancel'): Promise<void>
  /** The page as a browser shows it. */
  page(): Promise<string>
}

/** A merchant that takes payment methods of the sandbox's simulator. */
export interface MethodShop extends Shop {
  /** Has a payment service for the method. */
  takes(method: string, fields?: Body): Promise<void>
  ask(method: string, amount: number, more?: Body): Promise<Answer>
  /** The same, where the test goes on. */
  asked(method: string, amount: number, more?: Body): Promise<MethodPayment>
  /** Asked, approved, and the buyer is back. */
  paid(method: string, amount: number, more?: Body): Promise<MethodPayment>
}

export async function openMethodShop(railyard: TestRailyard, ...methods: string[]): Promise<MethodShop> {
  const shop = await openShop(railyard)
  const takes: MethodShop['takes'] = async (method, fields = {}) => {
    const service = {
      display_name: method,
      payment_service_definition_id: `mock-${method}`,
      fields: Object.entries({ merchant_id: 'sandbox', ...fields }).map(([key, value]) => ({ key, value })),
      accepted_currencies: ['EUR'],
      accepted_countries: ['DE'],
    }
    const answer = await railyard.admin.post('/payment-services', service, {
      'x-svc-merchant-account-id': shop.account,
    })
    expect({ method, status: answer.status, body: answer.body }).toMatchObject({ status: 201 })
  }
  for (const method of methods) await takes(method)
  const ask: MethodShop['ask'] = (method, amount, more = {}) =>
    shop.post('/transactions', {
      amount,
      currency: 'EUR',
      country: 'DE',
      intent: 'capture',
      payment_method: { method, country: 'DE', currency: 'EUR', redirect_url: 'https://shop.example/return' },
      ...more,
    })
  const asked: MethodShop['asked'] = async (method, amount, more) => {
    const { status, body } = await ask(method, amount, more)
    expect({ method, status, body }).toMatchObject({
      status: 201,
      body: { status: 'buyer_approval_pending' },
    })
    const approval = await fetch(body.payment_method.approval_url, { redirect: 'manual' })
    const url =
      approval.status === 303 || approval.status === 302
        ? (approval.headers.get('location') ?? '')
        : body.payment_method.approval_url
    // straight at the simulator: a fault may be about the page
    const page = `${railyard.simulatorUrl}${url.slice(url.indexOf('/redirect/'))}`
    return {
      ...shop.payment(body.id),
      created: body,
      page: async () => (await fetch(page, { headers: { accept: 'text/html' } })).text(),
      async decides(decision) {
        const answer = await fetch(`${page}/${decision}`, {
          method: 'POST',
          headers: { accept: 'application/json' },
        })
        const said = (await answer.json()) as { redirect_to: string }
        expect({ status: answer.status, said }).toMatchObject({ status: 200 })
        const back = await fetch(said.redirect_to, { redirect: 'manual' })
        expect(back.headers.get('location')).toContain('https://shop.example/return')
      },
    }
  }
  return {
    ...shop,
    takes,
    ask,
    asked,
    async paid(method, amount, more) {
      const payment = await asked(method, amount, more)
      await payment.decides('approve')
      return payment
    },
  }
}
