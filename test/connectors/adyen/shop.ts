import { afterAll } from 'vitest'
import { openProviderShop, type ProviderShop } from '../../support/domains/provider-shop.ts'
import { type AdyenFake, adyenFake } from './fake.ts'
import { encrypted, fields } from './harness.ts'

/** A shop whose cards go to Adyen's fake, for the tests of one file. `more`: further fields of the service. */
export async function openAdyenShopForFile(
  more: Readonly<Record<string, string>> = {},
): Promise<{ adyen: ProviderShop; fake: AdyenFake }> {
  const fake = adyenFake(Date.now())
  const adyen = await openProviderShop(fake, {
    definition: 'adyen-card',
    host: '.adyen.com',
    fields: { ...fields, ...more },
    token: encrypted,
    advance: fake.advance,
  })
  afterAll(() => adyen.railyard.close())
  return { adyen, fake }
}
