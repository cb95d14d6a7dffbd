import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { openShop, type Shop } from '../../test/shop.ts'

let railyard: TestRailyard
let shop: Shop

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
})
afterAll(() => railyard.close())

const least = { amount: 12_99, country: 'DE', currency: 'EUR' }

test('a link says where to pay, and is open for a day', async () => {
  const { status, body } = await shop.post('/payment-links', least)
  expect({ status, body }).toMatchObject({ status: 201, body: { type: 'payment-link', ...least, status: 'active', intent: 'authorize' } })
  expect(body.url).toMatch(new RegExp(`^${railyard.world.publicUrl}/pay/[A-Za-z0-9_-]{43}$`))
  expect(Date.parse(body.expires_at)).toBe(Date.parse(body.created_at) + 86_400_000)
  expect((await shop.get(`/payment-links/${body.id}`)).body).toEqual(body)
})
