import { sql } from 'kysely'
import { expect } from 'vitest'
import { type LinkMethod, type LinkPayment, payLink } from '../../../src/payment-links/pay-link.ts'
import { findLinkByToken, selectLinks } from '../../../src/payment-links/payment-link.store.ts'
import type { PaymentLinkRow } from '../../../src/payment-links/payment-link.ts'
import type { TransactionRow } from '../../../src/transactions/transaction.row.ts'
import type { World } from '../../../src/world.ts'
import { type Answer, type Client, card, type TestRailyard } from '../railyard.ts'

type Body = Record<string, unknown>

/** What a link needs. */
export const minimalLink = { amount: 12_99, country: 'DE', currency: 'EUR' }

export interface SentLink {
  id: string
  url: string
  /** As a page of it finds it now. */
  open(): Promise<PaymentLinkRow>
  read(): Promise<Answer['body']>
  expire(): Promise<Answer>
  /** With a card that a buyer enters into a session of its own, unless it says with what. */
  pay(method?: LinkMethod, more?: Partial<LinkPayment>, world?: World): Promise<TransactionRow>
  /** What the merchant's systems were told of it, oldest first: the status of each event. */
  told(): Promise<string[]>
}

/** A merchant makes a link and sends it to a buyer. */
export async function sendLink(railyard: TestRailyard, shop: Client, more: Body = {}): Promise<SentLink> {
  const { status, body } = await shop.post('/payment-links', { ...minimalLink, ...more })
  expect({ status, body }).toMatchObject({ status: 201 })
  const { world } = railyard
  const open = async () => {
    const row = await findLinkByToken(world, body.url.split('/').at(-1))
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
    pay: async (method, payment, server = world) =>
      payLink(server, await open(), {
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

/** A world whose process dies with its statement number `at`, before that is sent or once it is committed. */
export function crashingWorld(world: World, at: number, committed: boolean): World {
  let sent = 0
  const run: World['run'] = async (text, values) => {
    sent += 1
    if (sent < at) return world.run(text, values)
    if (sent === at && committed) await world.run(text, values)
    throw new Error('the process has died')
  }
  return { ...world, run }
}

/** What the payments through a link make of it: said again in a few lines, over the rows. */
function statusOf(payments: readonly TransactionRow[], hasEnded: boolean): PaymentLinkRow['status'] {
  if (payments.some((payment) => payment.authorized_at !== null || payment.status === 'capture_succeeded')) return 'completed'
  if (payments.some(({ status }) => !/failed|declined|voided/.test(status))) return 'processing'
  return hasEnded ? 'expired' : 'active'
}

/** A link is what its payments say, one of them at most came to something, and what was told of it ends with what it is. `ended`: its merchant has let it expire. */
export async function expectConsistentLink({ world, clock }: TestRailyard, sent: SentLink, ended: boolean): Promise<void> {
  const now = new Date(clock.now()).toISOString()
  // in one statement: the payment service may tell of news at any moment
  const { payments, told, ...link } = await selectLinks(world.db, now)
    .select(sql<TransactionRow[]>`(select coalesce(json_agg(t), '[]') from transactions t where t.payment_link_id = payment_links.id)`.as('payments'))
    .select(sql<string>`(select e.target->>'status' from events e where e.target_id = payment_links.id order by e.sequence desc limit 1)`.as('told'))
    .where('id', '=', sent.id)
    .executeTakeFirstOrThrow()
  expect(payments.filter(({ status }) => !/failed|declined/.test(status)).length).toBeLessThanOrEqual(1)
  expect(link.status).toBe(statusOf(payments, ended || link.expires_at <= now))
  // that its time is over is told by and by
  expect(told === 'active' && link.status === 'expired' ? 'expired' : told).toBe(link.status)
  // in their order
  await sent.told()
}
