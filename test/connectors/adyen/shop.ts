import { afterAll } from 'vitest'
import {
  openProviderShop,
  type ProviderShop,
  type ProviderShopOptions,
} from '../../support/domains/provider-shop.ts'
import { type AdyenFake, adyenFake } from './fake.ts'
import { encrypted, fields } from './harness.ts'

/** A shop whose cards go to Adyen's fake, for the tests of one file. `more`: further fields of the service. */
export const openAdyenShopForFile = (more: Readonly<Record<string, string>> = {}) =>
  openForFile({ definition: 'adyen-card', fields: { ...fields, ...more }, token: encrypted })

/** A shop whose buyers pay by iDEAL, on Adyen's page. */
export const openIdealShopForFile = () =>
  openForFile({
    definition: 'adyen-ideal',
    fields,
    accepts: { accepted_currencies: ['EUR'], accepted_countries: ['NL'] },
  })

async function openForFile(
  options: Pick<ProviderShopOptions, 'definition' | 'fields' | 'token' | 'accepts'>,
): Promise<{ adyen: ProviderShop; fake: AdyenFake }> {
  const fake = adyenFake(Date.now())
  const adyen = await openProviderShop(fake, {
    ...options,
    host: '.adyen.com',
    advance: fake.advance,
  })
  afterAll(() => adyen.railyard.close())
  return { adyen, fake }
}
