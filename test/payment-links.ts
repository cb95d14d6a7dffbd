import { expect } from 'vitest'
import { type LinkMethod, type LinkPayment, payLink } from '../src/payment-links/pay-link.ts'
import { linkByToken } from '../src/payment-links/payment-link.store.ts'
import type { PaymentLinkRow } from '../src/payment-links/payment-link.ts'
import type { TransactionRow } from '../src/transactions/transaction.row.ts'
import { type Answer, type Client, card, type TestRailyard } from './railyard.ts'

type Body = Record<string, unknown>

/** What a link needs. */
export const least = { amount: 12_99, country: 'DE', currency: 'EUR' }

export interface SentLink {
  id: string
  url: string
  /** As a page of it finds it now. */
  open(): Promise<PaymentLinkRow>
  read(): Promise<Answer['body']>
  expire(): Promise<Answer>
  /** With a card that a buyer enters into a session of its own, unless it says with what. */
  pay(method?: LinkMethod, more?: Partial<LinkPayment>): Promise<TransactionRow>
  /** What the merchant's systems were told of it, oldest first: the status of each event. */
  told(): Promise<string[]>
}

/** A merchant makes a link and sends it to a buyer. */
export async function sendLink(railyard: TestRailyard, shop: Client, more: Body = {}): Promise<SentLink> {
  const { status, body } = await shop.post('/payment-links', { ...least, ...more })
  expect({ status, body }).toMatchObject({ status: 201 })
  const { world } = railyard
  const open = async () => {
    const row = await linkByToken(world, body.url.split('/').at(-1))
    if (!row) throw new Error('the link is gone')
    return row
  }
  const events = () =>
    world.db.selectFrom('events').select(['name', 'sequence', 'target']).where('target_id', '=', body.id).orderBy('sequence').execute()
  return {
    id: body.id,
    url: body.url,
    open,
    read: async () => (await shop.get(`/payment-links/${body.id}`)).body,
    expire: () => shop.post(`/payment-links/${body.id}/expire`),
    pay: async (method, payment) =>
      payLink(world, await open(), {
        method: method ?? (await enteredCard(railyard, shop)),
        redirectUrl: body.url,
        browserInfo: null,
        ipAddress: null,
        key: undefined,
        ...payment,
      }),
    told: async () => {
      const rows = await events()
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
      return rows.map(({ name, target }) => `${name} ${'status' in target ? target.status : ''}`)
    },
  }
}

/** A card as a buyer's browser gives it to us. */
export async function enteredCard(railyard: TestRailyard, shop: Client, entered: Body = card): Promise<LinkMethod> {
  const { id } = (await shop.post('/checkout/sessions', {})).body
  const { status } = await railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_method: entered }),
  })
  expect(status).toBe(204)
  return { method: 'checkout-session', id }
}
