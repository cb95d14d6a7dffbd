import { describe, expect, test } from 'vitest'
import type { OperationKind } from '../../../src/connectors/contract/call.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import { type Bench, bench, visa } from './support.ts'

async function authorized(amount = 10_00, currency = 'EUR') {
  const opened = bench()
  const outcome = await opened.connector.operations.authorize?.(opened.call({ amount, currency }, visa))
  const id = outcome?.status === 'approved' ? (outcome.references.transaction ?? '') : ''
  return { ...opened, id, send: sender(opened, id) }
}

const sender =
  ({ connector, call }: Bench, paymentReference: string) =>
  async (kind: OperationKind, amount: number, final = true): Promise<Outcome | undefined> =>
    connector.operations[kind]?.(call({ kind, amount, final, paymentReference }))

describe('a capture', () => {
  test('takes a part and releases the rest', async () => {
    const { send, stripe, id } = await authorized()
    expect(await send('capture', 4_00)).toMatchObject({ status: 'approved', amount: 4_00 })
    expect(stripe.intent(id)).toMatchObject({ status: 'succeeded', amount_received: 4_00 })
    expect(stripe.violations).toEqual([])
  })

  test('can be one of several, each with its own amount', async () => {
    const { send, stripe } = await authorized()
    expect(await send('capture', 4_00, false)).toMatchObject({ status: 'approved', amount: 4_00 })
    expect(await send('capture', 1_00, false)).toMatchObject({ status: 'approved', amount: 1_00 })
    expect(await send('capture', 5_00)).toMatchObject({ status: 'approved', amount: 5_00 })
    expect(stripe.effects().map(({ amount }) => amount)).toEqual([10_00, 4_00, 1_00, 5_00])
    expect(stripe.violations).toEqual([])
  })

  test('of more than is left fails with Stripe’s code', async () => {
    const { send } = await authorized()
    expect(await send('capture', 11_00)).toMatchObject({
      status: 'failed',
      code: 'invalid_amount',
      facts: { raw_response_code: 'amount_too_large' },
    })
  })
})

describe('an increment', () => {
  test('is added to the authorization: Stripe gets the new total', async () => {
    const { send, stripe, id } = await authorized()
    expect(await send('increment', 2_50)).toMatchObject({ status: 'approved', amount: 2_50 })
    expect(await send('increment', 1_00)).toMatchObject({ status: 'approved', amount: 1_00 })
    expect(stripe.intent(id)).toMatchObject({ amount: 13_50, amount_capturable: 13_50 })
    expect(stripe.violations).toEqual([])
  })

  test('that the issuer declines leaves the authorization as it is', async () => {
    const { send, stripe, id } = await authorized()
    expect(await send('increment', 99)).toMatchObject({ status: 'declined', code: 'insufficient_funds' })
    expect(stripe.intent(id)).toMatchObject({ amount: 10_00, status: 'requires_capture' })
  })

  test('by 0 adds nothing, and sends nothing', async () => {
    const { send, stripe } = await authorized()
    const before = stripe.received.length
    expect(await send('increment', 0)).toMatchObject({ status: 'approved', amount: 0 })
    expect(stripe.received).toHaveLength(before)
  })

  test('does not change what the authorization is said to have approved', async () => {
    const { send, connector, call, id } = await authorized()
    await send('increment', 2_50)
    await send('capture', 12_00)
    expect(await connector.find(call({ paymentReference: id }, visa))).toMatchObject({
      outcome: { status: 'approved', amount: 10_00 },
    })
  })
})

describe('a void', () => {
  test('releases the authorization', async () => {
    const { send, stripe, id } = await authorized()
    expect(await send('void', 10_00)).toMatchObject({ status: 'approved' })
    expect(stripe.intent(id).status).toBe('canceled')
    expect(stripe.violations).toEqual([])
  })

  test('of an authorization that has expired is approved: it holds nothing', async () => {
    const { send, stripe } = await authorized()
    stripe.advance(8 * 24 * 3_600_000)
    expect(await send('void', 10_00)).toMatchObject({ status: 'approved' })
  })

  test('of a captured payment fails', async () => {
    const { send } = await authorized()
    await send('capture', 10_00)
    expect(await send('void', 10_00)).toMatchObject({ status: 'failed', code: 'unexpected_state' })
  })
})

test('a payment that waits for its buyer is canceled', async () => {
  const { connector, call, stripe } = bench()
  const outcome = await connector.operations.authorize?.(
    call({}, { instrument: { providerToken: 'pm_card_threeDSecure2Required' } }),
  )
  const id = outcome?.status === 'pending' ? (outcome.references.transaction ?? '') : ''
  expect(await connector.operations.cancel?.(call({ kind: 'cancel', paymentReference: id }))).toMatchObject({
    status: 'approved',
  })
  expect(stripe.intent(id).status).toBe('canceled')
})

describe('a refund', () => {
  test('gives back in parts, and not more than was captured', async () => {
    const { send, stripe } = await authorized()
    await send('capture', 10_00)
    expect(await send('refund', 4_00)).toMatchObject({
      status: 'approved',
      amount: 4_00,
      references: { operation: expect.stringMatching(/^re_/) },
    })
    expect(await send('refund', 7_00)).toMatchObject({ status: 'failed', code: 'invalid_amount' })
    expect(await send('refund', 6_00)).toMatchObject({ status: 'approved', amount: 6_00 })
    expect(await send('refund', 1)).toMatchObject({ code: 'refund_already_satisfied' })
    expect(stripe.violations).toEqual([])
  })

  test('can be pending, and end in the bank’s refusal', async () => {
    const { send, stripe, connector, call, id } = await authorized()
    await send('capture', 10_00)
    const asked = call({ kind: 'refund', amount: 26, paymentReference: id })
    expect(await connector.operations.refund?.(asked)).toMatchObject({ status: 'pending' })
    expect(await connector.find(asked)).toMatchObject({ outcome: { status: 'pending' } })
    Object.assign(stripe.refunds[0] ?? {}, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
    expect(await connector.find(asked)).toMatchObject({
      outcome: { code: 'canceled_payment_method', facts: { raw_response_code: 'lost_or_stolen_card' } },
    })
  })
})

describe('an amount', () => {
  test.each([
    ['JPY', 500, '500'],
    ['KWD', 1_250, '1250'],
    ['ISK', 300, '30000'],
    ['UGX', 5_000, '500000'],
    ['MGA', 500, '5'],
    ['EUR', 1_99, '199'],
  ])('of %s %i is %s at Stripe, and comes back as it was', async (currency, amount, sent) => {
    const { connector, call, stripe } = bench()
    expect(await connector.operations.sale?.(call({ kind: 'sale', amount, currency }, visa))).toMatchObject({
      status: 'approved',
      amount,
    })
    expect(stripe.received[0]?.form).toMatchObject({ amount: sent, currency: currency.toLowerCase() })
  })

  test.each([
    ['KWD', 1_251],
    ['MGA', 501],
  ])('of %s %i cannot be expressed, and nothing is sent', async (currency, amount) => {
    const { connector, call, stripe } = bench()
    expect(await connector.operations.sale?.(call({ kind: 'sale', amount, currency }, visa))).toMatchObject({
      code: 'invalid_amount',
      unprocessed: true,
    })
    expect(stripe.received).toEqual([])
  })
})
