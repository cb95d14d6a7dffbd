import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { type Answer, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { openShop, type Payment, type Shop } from '../../../test/support/shop.ts'

let railyard: TestRailyard
let shop: Shop

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard, { settings: { over_capture_amount: 7_00, over_capture_percentage: 20 } })
})
afterAll(() => railyard.close())

type Deed = (payment: Payment, index: number) => Promise<Answer>

const capture: Deed = (payment, index) => payment.capture({ amount: 1_00 + (index % 7) * 100, final: false })
const finalCapture: Deed = (payment) => payment.capture({ amount: 3_00 })
const refund: Deed = (payment, index) => payment.refund({ amount: 1 + (index % 90) })
const refundRest: Deed = (payment) => payment.refund()
const cancellation: Deed = (payment) => payment.cancel()
const increment: Deed = (payment, index) => payment.increment(10 + index)
const release: Deed = (payment) => payment.void()

/** What may be done to a payment of 50.00, of which `first` was captured beforehand. */
const rounds: { name: string; first: number; mix: Deed[]; count: number }[] = [
  { name: 'captures in parts', first: 0, mix: [capture], count: 200 },
  { name: 'captures in parts, refunds and increments', first: 5_00, mix: [capture, refund, increment], count: 200 },
  { name: 'refunds only', first: 20_00, mix: [refund], count: 200 },
  { name: 'refunds of the rest', first: 20_00, mix: [refundRest, refund], count: 100 },
  { name: 'voids against captures', first: 0, mix: [release, capture, increment], count: 200 },
  { name: 'a final capture against everything', first: 1_00, mix: [finalCapture, capture, refund, increment, release, cancellation], count: 200 },
]

test.each(rounds)('$count requests at once – $name – never break a rule on amounts', async ({ first, mix, count }) => {
  const payment = await shop.authorized(50_00)
  if (first > 0) await payment.capture({ amount: first, final: false })
  const [start] = mix
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => (mix[index % mix.length] ?? start ?? capture)(payment, index)))

  const losers = answers.filter(({ status }) => status >= 300)
  expect(answers.filter(({ status }) => ![200, 201, 400, 425].includes(status))).toEqual([])
  for (const { body } of losers) expect([body.code, body.message.length > 10]).toEqual([expect.stringMatching(/^(bad_request|too_early)$/), true])
  expect(losers.length).toBeLessThan(count)

  const { authorized_amount, captured_amount, refunded_amount } = await payment.read()
  expect(captured_amount).toBeLessThanOrEqual(authorized_amount + Math.min(7_00, Math.floor(authorized_amount / 5)))
  expect(refunded_amount).toBeLessThanOrEqual(captured_amount)
  await expectBooksMatch(railyard, shop.account)
})

test('as long as money is left, somebody gets it: refunds of one unit each end at the capture', async () => {
  const payment = await shop.sold(60)
  const answers = await Promise.all(Array.from({ length: 100 }, () => payment.refund({ amount: 1 })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(60)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(40)
  expect((await payment.read()).refunded_amount).toBe(60)
  await expectBooksMatch(railyard, shop.account)
})

test('one capture of many at once wins, and the rest are told to wait or that it is done', async () => {
  const payment = await shop.authorized(50_00)
  const answers = await Promise.all(Array.from({ length: 50 }, () => payment.capture()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await payment.read()).captured_amount).toBe(50_00)
  await expectBooksMatch(railyard, shop.account)
})

test('a void and a capture at once: exactly one of them happens', async () => {
  for (let round = 0; round < 10; round++) {
    const payment = await shop.authorized(50_00)
    const answers = await Promise.all([payment.void(), payment.capture(), payment.void(), payment.capture()])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }
  await expectBooksMatch(railyard, shop.account)
})
