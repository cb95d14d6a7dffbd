import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { addService, openShop, type Shop } from '../../test/shop.ts'

let railyard: TestRailyard
let shop: Shop
let second: string

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
  second = await addService(railyard, shop)
})
afterAll(() => railyard.close())

test('try', async () => {
  await shop.pay(10_00)
  await shop.pay(300013)
  await shop.pay(10_00, { payment_service_id: second })
  const rules = [{ display_name: 'B', action: 'route-transaction', condition: { all: [] }, outcome: { attempts: [{ payment_service_id: second }] } }]
  const answer = await shop.post('/flows/card-transaction/rules/replay', { rules })
  console.log(JSON.stringify(answer.body, null, 1))
  const answer2 = await shop.post('/flows/card-transaction/rules/replay', { rules }, { accept: 'application/x-ndjson' })
  console.log(answer2.body)
  expect(answer.status).toBe(200)
})
