import { afterAll, expect } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { openProviderShop, type ProviderShop } from '../../support/domains/provider-shop.ts'
import { type CheckoutFake, checkoutFake } from './fake.ts'
import { fields } from './harness.ts'

interface CheckoutShop {
  shop: ProviderShop
  fake: CheckoutFake
}

/** A shop whose cards go to Checkout.com's fake; without a `token`, by their numbers. */
export async function openCheckoutShop(token?: string): Promise<CheckoutShop> {
  const fake = checkoutFake(Date.now())
  const shop = await openProviderShop(fake, {
    definition: 'checkout-card',
    host: '.checkout.com',
    ...(token === undefined
      ? { fields: { ...fields, card_numbers: 'allow', currency_account_id: 'ca_abcdefghijklmnopqrstuvwxyz' } }
      : { fields, token }),
    advance: fake.advance,
  })
  return { shop, fake }
}

/** The same for the tests of one file, after which the tables must be as the journal says. */
export async function openCheckoutShopForFile(): Promise<CheckoutShop> {
  const opened = await openCheckoutShop()
  afterAll(async () => {
    expect((await verify(opened.shop.railyard.world.run)).findings).toEqual([])
    await opened.shop.railyard.close()
  })
  return opened
}
