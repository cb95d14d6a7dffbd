import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type BnplShop, openBnplShop, SHOP_URL } from '../../../test/bnpl.ts'
import { checkWire } from '../../../test/contracts/checked-http.ts'
import { contract } from '../../../test/contracts/contract.ts'
import { booksOf, expectTruth, misbehave, recoverFully } from '../../../test/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/railyard.ts'

let railyard: TestRailyard
let shop: BnplShop
let wire: ReturnType<typeof checkWire>

beforeAll(async () => {
  railyard = await startTestRailyard()
  wire = checkWire(railyard, '/bnpl/', [contract('bnpl')])
  shop = await openBnplShop(railyard)
})
afterAll(async () => {
  await expectTruth(railyard, shop.account)
  expect(wire.calls).toBeGreaterThan(0)
  expect(wire.violations).toEqual([])
  await railyard.close()
})

const statusOf = async (id: string) => (await shop.payment(id).read()).status
const becomes = (id: string, status: string) => vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 5_000, interval: 20 })

test('a buyer who approves on the provider’s page has paid when they are back at the shop', async () => {
  const { status, body } = await shop.buy(120_00)
  expect({ status, body }).toMatchObject({ status: 201, body: { status: 'buyer_approval_pending', session_token: null } })
  const back = await shop.browse(await shop.decide(body.payment_method.approval_url, 'approve'))
  expect(back).toBe(`${SHOP_URL}?svc_transaction_id=${body.id}&svc_transaction_status=authorization_succeeded`)
  const paid = await shop.payment(body.id).read()
  expect(paid).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 120_00, error_code: null })
  expect(paid.additional_identifiers).toMatchObject({
    payment_service_order_id: paid.payment_service_transaction_id,
    payment_service_session_id: expect.any(String),
  })
})

test('a sale is captured with the order', async () => {
  const id = await shop.paidOnPage(80_00, { intent: 'capture' })
  const paid = await shop.payment(id).read()
  expect(paid).toMatchObject({ status: 'capture_succeeded', captured_amount: 80_00 })
  expect(paid.additional_identifiers.payment_service_capture_id).toEqual(expect.any(String))
  expect(await shop.payment(id).captures()).toHaveLength(1)
})

test.each([
  ['decline', 'failed_buyer_approval'],
  ['cancel', 'cancelled_buyer_approval'],
] as const)('a buyer who chooses to %s has not paid, and the shop learns why', async (decision, code) => {
  const { body } = await shop.buy(50_00)
  const back = await shop.browse(await shop.decide(body.payment_method.approval_url, decision))
  expect(back).toContain('svc_transaction_status=authorization_failed')
  expect(await shop.payment(body.id).read()).toMatchObject({ status: 'authorization_failed', error_code: code, authorized_amount: 0 })
})
