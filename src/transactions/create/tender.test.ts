import { expect, test } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { Draft } from './draft.ts'
import { readTender } from './read-tender.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const draft = { amount: 12_00, currency: 'EUR' } as Draft
const number = { number: card.number, expiration_date: card.expiration_date }
const inputs = [
  { method: 'googlepay_pan_only', ...number },
  { method: 'click-to-pay', ...number },
] satisfies Draft['payment_method'][]

test.each(inputs)(
  'a card number with the method $method needs a payment service that takes digital wallets',
  async (input) => {
    const { method } = input
    const { body } = await shop.pay(12_00, { payment_method: input })
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      method,
      payment_method: { label: '1111' },
    })
    const tender = await readTender(
      railyard.world,
      shop.account,
      { ...draft, payment_method: input },
      undefined,
    )
    expect(tender).toMatchObject({ method, routedAs: 'card', features: ['digital_wallets'] })
  },
)

test('a card number with the method card needs no feature of a payment service', async () => {
  const tender = await readTender(
    railyard.world,
    shop.account,
    { ...draft, payment_method: { ...number, method: 'card' } },
    undefined,
  )
  expect(tender?.features).toEqual([])
})
