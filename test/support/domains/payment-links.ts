import { sql } from 'kysely'
import { expect } from 'vitest'
import { type LinkMethod, type LinkPayment, payLink } from '../../../src/payment-links/pay-link.ts'
import { findLinkByToken, selectLinks } from '../../../src/payment-links/payment-link.store.ts'
import type { PaymentLinkRow } from '../../../src/payment-links/payment-link.ts'
import type { TransactionRow } from '../../../src/transactions/transaction.row.ts'
import type { World } from '../../../src/world.ts'
import { type Answer, type Client, card, type TestRailyard } from '../railyard.ts'

type Body = Record<string, unknown>

/** The members that a link must have. */
export const minimalLink = { amount: 12_99, country: 'DE', currency: 'EUR' }

export interface SentLink {
  id: string
  url: string
  /** The link as its page finds it. */
  open(): Promise<PaymentLinkRow>
  read(): Promise<Answer['body']>
  expire(): Promise<Answer>
  /** Pays the link; without `method`, with a card in a session of its own. */
  pay(method?: LinkMethod, more?: Partial<LinkPayment>, world?: World): Promise<TransactionRow>
  /** The events of the link, oldest first, each as its name and the link's status in it. */
  eventStatuses(): Promise<string[]>
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
    world.db
      .selectFrom('events')
      .select(['name', 'sequence', 'target'])
      .where('target_id', '=', body.id)
      .orderBy('sequence')
      .execute()
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
    eventStatuses: async () => {
      const rows = await events()
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
      return rows.map(({ name, target }) => `${name} ${'status' in target ? target.status : ''}`)
    },
  }
}

/** Puts a card into a checkout session, as a buyer's browser does. */
export async function enteredCard(
  railyard: TestRailyard,
  shop: Client,
  entered: Body = card,
): Promise<LinkMethod> {
  const { id } = (await shop.post('/checkout/sessions', {})).body
  const { status } = await railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_method: entered }),
  })
  expect(status).toBe(204)
  return { method: 'checkout-session', id }
}

/**
 * A world whose process dies at its statement number `at`: before the statement is sent, or once it is
 * committed.
 */
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

/**
 * The status of a link that follows from the payments through it: the production rule again, in a few lines
 * over the rows.
 */
function statusOf(payments: readonly TransactionRow[], hasEnded: boolean): PaymentLinkRow['status'] {
  if (payments.some((payment) => payment.authorized_at !== null || payment.status === 'capture_succeeded'))
    return 'completed'
  if (payments.some(({ status }) => !/failed|declined|voided/.test(status))) return 'processing'
  return hasEnded ? 'expired' : 'active'
}

/**
 * Expects that a link's status follows from its payments, that at most one of them succeeded, and that its
 * last event has its status. `ended`: the merchant has expired the link.
 */
export async function expectConsistentLink(
  { world, clock }: TestRailyard,
  sent: SentLink,
  ended: boolean,
): Promise<void> {
  const now = new Date(clock.now()).toISOString()
  // in one statement, since a notification of the payment service may change the rows at any moment
  const { payments, lastEventStatus, ...link } = await selectLinks(world.db, now)
    .select(
      sql<
        TransactionRow[]
      >`(select coalesce(json_agg(t), '[]') from transactions t where t.merchant_account_id = payment_links.merchant_account_id and t.payment_link_id = payment_links.id)`.as(
        'payments',
      ),
    )
    .select(
      sql<string>`(select e.target->>'status' from events e where e.merchant_account_id = payment_links.merchant_account_id and e.target_id = payment_links.id order by e.sequence desc limit 1)`.as(
        'lastEventStatus',
      ),
    )
    .where('id', '=', sent.id)
    .executeTakeFirstOrThrow()
  expect(payments.filter(({ status }) => !/failed|declined/.test(status)).length).toBeLessThanOrEqual(1)
  expect(link.status).toBe(statusOf(payments, ended || link.expires_at <= now))
  // the event of a link whose time is over is written later, by the background task
  expect(lastEventStatus === 'active' && link.status === 'expired' ? 'expired' : lastEventStatus).toBe(
    link.status,
  )
  // expects that the events are in order
  await sent.eventStatuses()
}
