import { describe, expect, test } from 'vitest'
import { sendLink } from '../../../test/support/domains/payment-links.ts'
import { card, startTestRailyard } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'

const { railyard, shop } = await startShop({
  comparesBooks: false,
  env: {
    TRUSTED_PROXIES: '1',
    CARD_ATTEMPTS_PER_ADDRESS: '6',
    CARD_ATTEMPTS_PER_BIN: '9',
  },
})

let hosts = 0
/** A new public address of a buyer. */
const newAddress = () => `81.2.${Math.floor(++hosts / 250)}.${hosts % 250}`

const send = (method: string, path: string, body: unknown, address: string, headers = {}) =>
  railyard.send(method, path, {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: JSON.stringify(body),
  })

async function enterCard(address: string, number = card.number) {
  const { id } = (await shop.post('/checkout/sessions', {})).body
  return send('PUT', `/checkout/sessions/${id}/fields`, { payment_method: { ...card, number } }, address)
}
async function payWithToken(address: string, number = card.number) {
  const token = await signed(shop.signer, goodClaims({ scopes: ['embed'] }))
  const payment = { amount: 12_00, currency: 'EUR', payment_method: { ...card, number } }
  return send('POST', '/transactions', payment, address, { authorization: `Bearer ${token}` })
}
async function payLink(address: string) {
  const { url } = await sendLink(railyard, shop)
  return send(
    'POST',
    `${new URL(url).pathname}/payments`,
    { payment_method_id: crypto.randomUUID() },
    address,
  )
}
const requestBalances = async (address: string) => {
  const token = await signed(shop.signer, goodClaims({ scopes: ['embed'] }))
  return send('POST', '/gift-cards/balances', { items: [] }, address, { authorization: `Bearer ${token}` })
}
const numbers = ['4111111111111111', '5555555555554444', '378282246310005', '6011111111111117']
const signals = async (signal: string) =>
  Number(
    new RegExp(`railyard_card_testing_total\\{signal="${signal}"\\} (\\d+)`).exec(
      (await railyard.send('GET', '/metrics')).body,
    )?.[1] ?? 0,
  )

describe('attempts to pay from an address', () => {
  test('are counted over links, sessions and browsers’ tokens together, and refused beyond the limit for a minute', async () => {
    const address = newAddress()
    const before = await signals('address')
    const ways = [enterCard, payWithToken, payLink, requestBalances]
    for (let turn = 0; turn < 6; turn++)
      expect((await ways[turn % 4]?.(address, numbers[turn % 4]))?.status).not.toBe(429)
    for (const way of ways) {
      const answer = await way(address, numbers[3])
      expect(answer).toMatchObject({
        status: 429,
        body: { code: 'too_many_requests', message: 'Too many attempts to pay from this address' },
      })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(50)
    }
    expect(await signals('address')).toBe(before + 4)
    expect((await enterCard(newAddress(), numbers[1])).status).toBe(204)
    railyard.clock.advance(61_000)
    expect((await enterCard(address)).status).toBe(204)
  })

  test('that are refused leave other buyers the attempts with cards of that kind', async () => {
    const address = newAddress()
    const number = '6200000000000005'
    const statuses: number[] = []
    for (let turn = 0; turn < 12; turn++) statuses.push((await enterCard(address, number)).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(6)
    for (let buyer = 0; buyer < 3; buyer++) expect((await enterCard(newAddress(), number)).status).toBe(204)
    expect((await enterCard(newAddress(), number)).status).toBe(429)
    railyard.clock.advance(61_000)
  })

  test('are counted for a whole IPv6 network', async () => {
    for (let turn = 0; turn < 6; turn++)
      expect((await enterCard(`2a02:8109:1:2::${turn}`, numbers[turn % 4])).status).toBe(204)
    expect((await enterCard('2a02:8109:1:2::ffff', numbers[2])).status).toBe(429)
    expect((await enterCard('2a02:8109:1:3::1', numbers[2])).status).toBe(204)
    railyard.clock.advance(61_000)
  })

  test('are not limited if the address is private, since it is a proxy’s and has all buyers behind it', async () => {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'unknown'])
      for (let turn = 0; turn < 8; turn++) expect((await requestBalances(address)).status).not.toBe(429)
  })
})

describe('attempts with cards of one bank', () => {
  test('are counted for each merchant account, from any number of addresses, and refused beyond the limit', async () => {
    railyard.clock.advance(61_000)
    const before = await signals('bin')
    for (let turn = 0; turn < 9; turn++)
      expect((await (turn % 2 ? enterCard : payWithToken)(newAddress())).status).not.toBe(429)
    for (const way of [enterCard, payWithToken])
      expect(await way(newAddress())).toMatchObject({
        status: 429,
        body: { message: 'Too many attempts with cards of this kind' },
      })
    expect(await signals('bin')).toBe(before + 2)
    expect((await enterCard(newAddress(), numbers[1])).status).toBe(204)
    expect((await shop.pay(12_00)).status).toBe(201)
    const neighbour = await openShop(railyard)
    const { id } = (await neighbour.post('/checkout/sessions', {})).body
    expect(
      (await send('PUT', `/checkout/sessions/${id}/fields`, { payment_method: card }, newAddress())).status,
    ).toBe(204)
  })
})

test('the limits are off when their settings are zero', async () => {
  const open = await startTestRailyard({
    TRUSTED_PROXIES: '1',
    CARD_ATTEMPTS_PER_ADDRESS: '0',
    CARD_ATTEMPTS_PER_BIN: '0',
    CARD_NUMBERS_ALIKE: '0',
  })
  try {
    const merchant = await open.merchant()
    for (let turn = 0; turn < 70; turn++) {
      const { id } = (await merchant.post('/checkout/sessions', {})).body
      const { status } = await open.send('PUT', `/checkout/sessions/${id}/fields`, {
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '81.2.69.142' },
        body: JSON.stringify({ payment_method: card }),
      })
      expect(status).toBe(204)
    }
  } finally {
    await open.close()
  }
})
