import { afterAll, beforeAll, expect, test } from 'vitest'
import { enteredCard, sendLink } from '../../test/payment-links.ts'
import { expectTruth } from '../../test/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { openShop, type Shop } from '../../test/shop.ts'

let railyard: TestRailyard
let shop: Shop

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
})
afterAll(async () => {
  await expectTruth(railyard, shop.account)
  await railyard.close()
})

const DECLINED = 2_000_11

test('a link that was paid is completed, and its payment has what the link said', async () => {
  const link = await sendLink(railyard, shop, {
    intent: 'capture',
    external_identifier: 'order-7',
    metadata: { shelf: '7' },
    statement_descriptor: { name: 'Ada Books' },
    cart_items: [{ name: 'A book', quantity: 1, unit_amount: 12_99 }],
    buyer: { display_name: 'Ada', shipping_details: { first_name: 'Ada' } },
    installment_count: 2,
  })
  const { id } = await link.pay()
  expect((await shop.get(`/transactions/${id}`)).body).toMatchObject({
    status: 'capture_succeeded',
    amount: 12_99,
    country: 'DE',
    external_identifier: 'order-7',
    metadata: { shelf: '7' },
    statement_descriptor: { name: 'Ada Books' },
    cart_items: [{ name: 'A book' }],
    buyer: { display_name: 'Ada' },
    shipping_details: { first_name: 'Ada' },
    installment_count: 2,
  })
  expect(await link.read()).toMatchObject({ status: 'completed' })
  expect(await link.told()).toEqual(['payment-link.created active', 'payment-link.updated processing', 'payment-link.updated completed'])
  expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items.map((item: { id: string }) => item.id)).toEqual([id])
})

test('a declined payment leaves the link to be paid again', async () => {
  const link = await sendLink(railyard, shop, { amount: DECLINED })
  expect(await link.pay()).toMatchObject({ status: 'authorization_failed', payment_link_id: link.id })
  expect(await link.read()).toMatchObject({ status: 'active' })
  expect(await link.told()).toEqual(['payment-link.created active', 'payment-link.updated processing', 'payment-link.updated active'])
  await link.pay()
  expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items).toHaveLength(2)
})

test('twenty buyers who pay one link at once: one payment, and nobody else is charged', async () => {
  const link = await sendLink(railyard, shop)
  const cards = await Promise.all(Array.from({ length: 20 }, () => enteredCard(railyard, shop)))
  const answers = await Promise.allSettled(cards.map((method) => link.pay(method)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.message] : []))
  expect(refusals.filter((reason) => !/^A payment of this link is under way$|^The payment link has been paid$/.test(reason))).toEqual([])
  expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items).toHaveLength(1)
  expect(await link.told()).toEqual(['payment-link.created active', 'payment-link.updated processing', 'payment-link.updated completed'])
})

test('the same attempt sent twice, also at once, is one payment and answered twice', async () => {
  const link = await sendLink(railyard, shop)
  const method = await enteredCard(railyard, shop)
  const key = 'attempt-1'
  const [one, other] = await Promise.all([link.pay(method, { key }), link.pay(method, { key })])
  expect(other).toEqual(one)
  expect(await link.pay(method, { key })).toEqual(one)
})
