import { expect, test } from 'vitest'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import type { Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({
  comparesBooks: false,
  // 200 requests at once may keep a busy machine for longer than the three seconds that tests give a payment service
  env: { PROVIDER_TIMEOUT_MS: '15000' },
  merchant: {
    settings: { over_capture_amount: 7_00, over_capture_percentage: 20 },
  },
})

type Action = (payment: Payment, index: number) => Promise<Answer>

const capture: Action = (payment, index) =>
  payment.capture({ amount: 1_00 + (index % 7) * 100, final: false })
const finalCapture: Action = (payment) => payment.capture({ amount: 3_00 })
const refund: Action = (payment, index) => payment.refund({ amount: 1 + (index % 90) })
const refundRest: Action = (payment) => payment.refund()
const cancellation: Action = (payment) => payment.cancel()
const increment: Action = (payment, index) => payment.increment(10 + index)
const release: Action = (payment) => payment.void()

/** Concurrent actions on a payment of 50.00, of which `first` was captured before. */
const rounds: { name: string; first: number; mix: Action[]; count: number }[] = [
  { name: 'captures in parts', first: 0, mix: [capture], count: 200 },
  {
    name: 'captures in parts, refunds and increments',
    first: 5_00,
    mix: [capture, refund, increment],
    count: 200,
  },
  { name: 'refunds only', first: 20_00, mix: [refund], count: 200 },
  { name: 'refunds of the rest', first: 20_00, mix: [refundRest, refund], count: 100 },
  { name: 'voids against captures', first: 0, mix: [release, capture, increment], count: 200 },
  {
    name: 'a final capture against everything',
    first: 1_00,
    mix: [finalCapture, capture, refund, increment, release, cancellation],
    count: 200,
  },
]

test.each(rounds)(
  '$count requests at once – $name – never break a rule on amounts',
  async ({ first, mix, count }) => {
    const payment = await shop.authorized(50_00)
    if (first > 0) await payment.capture({ amount: first, final: false })
    const [start] = mix
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        (mix[index % mix.length] ?? start ?? capture)(payment, index),
      ),
    )

    const refused = answers.filter(({ status }) => status >= 300)
    expect(answers.filter(({ status }) => ![200, 201, 400, 425].includes(status))).toEqual([])
    for (const { body } of refused)
      expect([body.code, body.message.length > 10]).toEqual([
        expect.stringMatching(/^(bad_request|too_early)$/),
        true,
      ])
    expect(refused.length).toBeLessThan(count)

    const { authorized_amount, captured_amount, refunded_amount } = await payment.read()
    expect(captured_amount).toBeLessThanOrEqual(
      authorized_amount + Math.min(7_00, Math.floor(authorized_amount / 5)),
    )
    expect(refunded_amount).toBeLessThanOrEqual(captured_amount)
    await expectBooksMatch(railyard, shop.account)
  },
)

test('of 100 concurrent refunds of one unit exactly as many succeed as the capture has units', async () => {
  const payment = await shop.sold(60)
  const answers = await Promise.all(Array.from({ length: 100 }, () => payment.refund({ amount: 1 })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(60)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(40)
  expect((await payment.read()).refunded_amount).toBe(60)
  await expectBooksMatch(railyard, shop.account)
})

test('of 50 concurrent captures of everything exactly one succeeds', async () => {
  const payment = await shop.authorized(50_00)
  const answers = await Promise.all(Array.from({ length: 50 }, () => payment.capture()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await payment.read()).captured_amount).toBe(50_00)
  await expectBooksMatch(railyard, shop.account)
})

test('of concurrent voids and captures exactly one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    const payment = await shop.authorized(50_00)
    const answers = await Promise.all([payment.void(), payment.capture(), payment.void(), payment.capture()])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }
  await expectBooksMatch(railyard, shop.account)
})
