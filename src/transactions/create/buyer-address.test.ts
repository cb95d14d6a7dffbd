import { expect, test } from 'vitest'
import { card, startTestRailyard } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const addressOf = async (id: string, at = railyard) => {
  const [row] = await at.world.run<{ ip_address: string }>(
    'select ip_address from transactions where id = $1',
    [id],
  )
  return row?.ip_address
}
const own = '127.0.0.1'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7, 10.0.0.1', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]:4711', '2001:db8::7'],
  ['unknown, 10.0.0.1', own],
  ['', own],
])('x-forwarded-for %j of a server gives the buyer’s address %s', async (header, address) => {
  const { status, body } = await shop.pay(1_00, {}, { 'x-forwarded-for': header })
  expect(status).toBe(201)
  expect(await addressOf(body.id)).toBe(address)
})

test.each([
  '<script>alert(1)</script>',
  '1.2.3',
  '1.2.3.4.5',
  'localhost',
  'fe80::1%eth0',
  "1.1.1.1' or 1=1",
  '203.0.113.7 10.0.0.1',
])(
  'a server that says %j in x-forwarded-for is told that this is no address, and nothing is paid',
  async (header) => {
    const details = [
      {
        location: 'header',
        pointer: 'x-forwarded-for',
        message: 'must begin with the IP address of the buyer',
      },
    ]
    expect(await shop.pay(2_02, {}, { 'x-forwarded-for': header })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', details },
    })
    expect((await shop.get('/transactions?amount_eq=202')).body.items).toEqual([])
  },
)

test('a browser’s own address counts, whatever it says in x-forwarded-for', async () => {
  const browser = await railyard.client({
    account: shop.account,
    merchantAccountIds: [shop.account],
    scopes: ['embed'],
    embed: { amount: 3_03, currency: 'EUR' },
  })
  for (const header of ['203.0.113.7', '<script>']) {
    const payment = { amount: 3_03, currency: 'EUR', payment_method: card }
    const { status, body } = await browser.post('/transactions', payment, { 'x-forwarded-for': header })
    expect({ status, body }).toMatchObject({ status: 201 })
    expect(await addressOf(body.id)).toBe(own)
  }
})

test('an invalid address from a trusted proxy leaves the proxy’s own address', async () => {
  const behind = await startTestRailyard({ TRUSTED_PROXIES: '1' })
  const other = await openShop(behind)
  const browser = await behind.client({
    account: other.account,
    merchantAccountIds: [other.account],
    scopes: ['embed'],
    embed: { amount: 1_00, currency: 'EUR' },
  })
  const pays = async (header: string) => {
    const payment = { amount: 1_00, currency: 'EUR', payment_method: card }
    const { body } = await browser.post('/transactions', payment, { 'x-forwarded-for': header })
    return addressOf(body.id, behind)
  }
  expect(await pays('198.51.100.4, 203.0.113.7')).toBe('203.0.113.7')
  expect(await pays('203.0.113.7, <script>')).toBe(own)
  await behind.close()
})
