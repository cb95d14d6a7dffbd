import { expect, test } from 'vitest'
import { verify } from '../../src/verify/verify.ts'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { openCheckoutShop } from './checkout/shop.ts'

const HOUR_MS = 3_600_000

test.each(['authorize', 'capture'])(
  'the capture of a split tender with the intent to %s that is taken back can be made again, since the gift card has paid',
  async (intent) => {
    const { shop, fake } = await openCheckoutShop()
    await addGiftCardService(shop.railyard, shop.shop)
    const settle = async () => {
      shop.advance(3 * HOUR_MS)
      await shop.deliver()
      await shop.settle()
    }
    const { body, status } = await shop.shop.pay(30_00, {
      ...shop.payment,
      intent,
      gift_cards: [{ ...newGiftCard(), amount: 20_00 }],
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const payment = shop.shop.payment(body.id)
    await settle()
    if (intent === 'authorize') await payment.capture()
    await settle()
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 10_00,
      gift_card_redemptions: [{ status: 'succeeded', amount: 20_00 }],
    })
    const [capture] = await payment.captures()
    fake.takeBack(capture.id)
    await settle()
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      captured_amount: 0,
      gift_card_redemptions: [{ status: 'succeeded', amount: 20_00, refunded_amount: 0 }],
    })
    const again = await payment.capture()
    expect(again, JSON.stringify(again.body)).toMatchObject({ status: 200 })
    await settle()
    expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
    expect((await verify(shop.railyard.world.run)).findings).toEqual([])
    await shop.railyard.close()
  },
)
