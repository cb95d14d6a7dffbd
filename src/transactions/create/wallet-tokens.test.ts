import { describe, expect, test } from 'vitest'
import { appleWallet } from '../../../test/support/domains/digital-wallets.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { intendPayment } from '../../operations/journal/functions/intend-payment.sql.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
expect(await shop.post('/digital-wallets', appleWallet)).toMatchObject({ status: 201 })

/** The payment method with the token that a buyer's wallet gives to the shop's page after the approval. */
async function approved(
  method: 'applepay' | 'googlepay',
  more: Record<string, unknown> = {},
): Promise<{ method: string; token: unknown }> {
  const body = method === 'applepay' ? { amount: 12_00, currency: 'EUR', ...more } : more
  const answer = await shop.post(`/sandbox/wallets/${method === 'applepay' ? 'apple' : 'google'}/token`, body)
  expect(answer.status).toBe(200)
  return { method, token: answer.body.token }
}

describe.each(['applepay', 'googlepay'] as const)('%s', (method) => {
  test('pays with the token of the buyer’s device', async () => {
    const paid = await shop.pay(12_00, {
      payment_method: { ...(await approved(method)), card_suffix: '4242' },
    })
    expect(paid).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_succeeded',
        method,
        instrument_type: method,
        payment_method: { method, mode: method, label: '4242', id: null },
      },
    })
    expect(await shop.payment(paid.body.id).capture()).toMatchObject({
      status: 200,
      body: { status: 'capture_succeeded' },
    })
    const { items } = (await shop.get(`/transactions/${paid.body.id}/events`)).body
    const name = `digital-wallet-${method === 'applepay' ? 'apple' : 'google'}-pay-token-decrypted`
    expect(items.find((event: { name: string }) => event.name === name)).toMatchObject({
      context: { type: 'dpan', has_cryptogram: true, expiration_date: expect.stringMatching(/^\d\d\/\d\d$/) },
    })
  })

  test('a token pays once, and a second payment with it is refused', async () => {
    const payment_method = await approved(method)
    expect((await shop.pay(12_00, { payment_method })).status).toBe(201)
    expect(await shop.pay(12_00, { payment_method })).toMatchObject(invalidFields('/payment_method/token'))
  })

  test('of concurrent requests with the same token one succeeds', async () => {
    const payment_method = await approved(method)
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.pay(12_00, { payment_method })))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(7)
    for (const answer of refused) expect(answer).toMatchObject(invalidFields('/payment_method/token'))
  })

  test('a request that is refused for another reason does not use up the token', async () => {
    const payment_method = await approved(method)
    expect((await shop.pay(12_00, { payment_method, buyer_id: crypto.randomUUID() })).status).toBe(400)
    expect((await shop.pay(12_00, { payment_method })).status).toBe(201)
  })

  test('an idempotent replay gets the first answer although the token is used up', async () => {
    const payment_method = await approved(method)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await shop.pay(12_00, { payment_method }, headers)
    expect(first.status).toBe(201)
    expect((await shop.pay(12_00, { payment_method }, headers)).body).toEqual(first.body)
  })

  test('concurrent requests under one idempotency key get the same answer', async () => {
    const payment_method = await approved(method)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [first, ...more] = await Promise.all(
      Array.from({ length: 8 }, () => shop.pay(12_00, { payment_method }, headers)),
    )
    expect(first).toMatchObject({ status: 201, body: { status: 'authorization_succeeded' } })
    for (const answer of more) expect(answer).toMatchObject({ status: 201, body: first?.body })
  })

  test('a process that dies before it writes the payment does not use up the token', async () => {
    const payment_method = await approved(method)
    const { world } = railyard
    const { run } = world
    world.run = async (sql, values) => {
      if (sql === intendPayment.text) throw new Error('killed')
      return run(sql, values)
    }
    try {
      expect((await shop.pay(12_00, { payment_method })).status).toBe(500)
    } finally {
      world.run = run
    }
    expect((await shop.pay(12_00, { payment_method })).status).toBe(201)
  })
})

test('an amount or currency that the buyer did not approve is refused', async () => {
  expect(await shop.pay(13_00, { payment_method: await approved('applepay') })).toMatchObject(
    invalidFields('/payment_method/token'),
  )
  expect(
    await shop.pay(12_00, { currency: 'USD', payment_method: await approved('applepay') }),
  ).toMatchObject(invalidFields('/payment_method/token'))
})

test('in a split tender the buyer approves the amount without the gift cards’ part in the wallet', async () => {
  await addGiftCardService(railyard, shop)
  const gift_cards = [{ ...newGiftCard(), amount: 8_00 }]
  const paid = await shop.pay(20_00, { payment_method: await approved('applepay'), gift_cards })
  expect(paid).toMatchObject({
    status: 201,
    body: { status: 'authorization_succeeded', authorized_amount: 12_00, intent_outcome: 'succeeded' },
  })
})

test('a token for another merchant is refused', async () => {
  const other = await openShop(railyard)
  const payment_method = await approved('googlepay')
  expect(await other.pay(12_00, { payment_method })).toMatchObject(invalidFields('/payment_method/token'))
})
