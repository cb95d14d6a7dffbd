import { expect, test } from 'vitest'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import { card } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

/** The simulator's issuer declines this amount. */
const declinedAmount = 2_000_11
const json = { 'content-type': 'application/json' }

/** Pays as the page's script does: opens a session, puts the card into it, and pays. */
async function payOnPage(url: string, number = card.number) {
  const at = new URL(url).pathname
  const session = (await railyard.send('POST', `${at}/sessions`, { headers: json, body: '{}' })).body
  if (session.id === undefined) return { status: 400, body: session, headers: new Headers() }
  const fields = { payment_method: { ...card, number } }
  await railyard.send('PUT', `/checkout/sessions/${session.id}/fields`, {
    headers: json,
    body: JSON.stringify(fields),
  })
  const body = JSON.stringify({ checkout_session_id: session.id, proof: session.proof })
  return railyard.send('POST', `${at}/payments`, { headers: json, body })
}
const pageOf = async (url: string): Promise<string> =>
  (await railyard.send('GET', new URL(url).pathname)).body
const signals = async () =>
  /railyard_card_testing_total\{signal="payment_link"\} (\d+)/.exec(
    (await railyard.send('GET', '/metrics')).body,
  )?.[1] ?? '0'

test('a link expires with its tenth declined payment: its page says so, and the operator gets a metric and a log line', async () => {
  const link = await sendLink(railyard, shop, { amount: declinedAmount, merchant_name: 'Tea House' })
  for (let turn = 1; turn < 10; turn++) {
    expect((await payOnPage(link.url)).body).toMatchObject({ state: 'declined' })
    expect(await link.read()).toMatchObject({ status: 'active', declines: turn })
  }
  expect(await signals()).toBe('0')
  expect((await payOnPage(link.url)).body).toEqual({ state: 'exhausted' })
  expect(await link.read()).toMatchObject({ status: 'expired', declines: 10 })
  expect((await link.eventStatuses()).slice(-2)).toEqual([
    'payment-link.updated processing',
    'payment-link.updated expired',
  ])
  expect(await signals()).toBe('1')
  const lines = railyard.logged
    .filter((line) => line.includes('card testing suspected'))
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({ level: 40, signal: 'payment_link', account: shop.account }),
  ])

  expect((await payOnPage(link.url)).status).toBe(400)
  await expect(link.pay()).rejects.toMatchObject({ status: 400 })
  const page = await pageOf(link.url)
  expect(page).toContain('This link takes no more payments')
  expect(page).toContain(
    'Too many payments were declined here. Nothing was charged. Ask Tea House for a new link.',
  )
  expect((await railyard.send('GET', `${new URL(link.url).pathname}/status`)).body).toEqual({
    state: 'exhausted',
  })
  const { items } = (await shop.get(`/transactions?payment_link_id=${link.id}&limit=50`)).body
  expect(items).toHaveLength(10)
})

test('payments at the same time count no more than ten declines', async () => {
  const link = await sendLink(railyard, shop, { amount: declinedAmount })
  for (let round = 0; round < 12 && (await link.read()).status !== 'expired'; round++)
    await Promise.allSettled(Array.from({ length: 3 }, () => link.pay()))
  expect(await link.read()).toMatchObject({ status: 'expired', declines: 10 })
  expect((await shop.get(`/transactions?payment_link_id=${link.id}&limit=50`)).body.items).toHaveLength(10)
})

test('a payment service that fails, and a buyer who cancels, do not count as declines', async () => {
  for (const amount of [3_000_13, 2_000_22]) {
    const link = await sendLink(railyard, shop, { amount })
    for (let turn = 0; turn < 11; turn++)
      expect((await payOnPage(link.url)).body).toMatchObject({ state: 'declined' })
    expect(await link.read()).toMatchObject({ status: 'active', declines: 0 })
  }
})

test('a link that was declined nine times can still be paid', async () => {
  const link = await sendLink(railyard, shop)
  await railyard.world.run('update payment_links set declines = 9 where id = $1', [link.id])
  expect((await payOnPage(link.url)).body).toMatchObject({ state: 'completed' })
  expect(await link.read()).toMatchObject({ status: 'completed', declines: 9 })
})
