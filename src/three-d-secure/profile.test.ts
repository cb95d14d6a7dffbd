import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  configureThreeDS,
  threeDSConfiguration,
} from '../../test/support/domains/three-d-secure-configuration.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { paymentService } from '../payment-services/payment-service.store.ts'
import type { ThreeDSConfiguration } from './configuration.schema.ts'
import { acquirerProfileFor, bestConfiguration, type PaymentForProfile } from './profile.ts'

const railyard = await startRailyardForFile()

const payment: PaymentForProfile = { scheme: 'visa', currency: 'USD', country: 'US', metadata: { shop: 'a' } }

test('without any configuration there is no acquirer profile', async () => {
  const { account } = await railyard.merchant()
  expect(await acquirerProfileFor(railyard.world, account, payment, null)).toBeUndefined()
})

test('the payment service’s own profile for the scheme goes before the account’s configuration', async () => {
  const merchant = await railyard.merchant()
  await configureThreeDS(railyard, merchant)
  const { scheme: _, metadata: __, ...profile } = threeDSConfiguration({ merchant_name: 'At the service' })
  const at = `/payment-services/${merchant.paymentServiceId}`
  expect((await merchant.put(at, { merchant_profile: { visa: profile, amex: null } })).status).toBe(200)
  const service = await paymentService(railyard.world, merchant.account, merchant.paymentServiceId)
  const names = async (scheme: string | null) =>
    (
      await acquirerProfileFor(
        railyard.world,
        merchant.account,
        { ...payment, scheme },
        service?.merchant_profile ?? null,
      )
    )?.merchant_name
  expect([await names('visa'), await names('amex'), await names('mastercard'), await names(null)]).toEqual([
    'At the service',
    undefined,
    undefined,
    undefined,
  ])
  await configureThreeDS(railyard, merchant, { scheme: 'amex', merchant_name: 'Of the account' })
  expect([await names('visa'), await names('amex')]).toEqual(['At the service', 'Of the account'])
  expect(
    await acquirerProfileFor(railyard.world, merchant.account, payment, service?.merchant_profile ?? null),
  ).toEqual(profile)
})

test('a configuration is used as it was last changed, and until it is deleted', async () => {
  const merchant = await railyard.merchant()
  const merchantName = async () =>
    (await acquirerProfileFor(railyard.world, merchant.account, payment, null))?.merchant_name
  const { id } = await configureThreeDS(railyard, merchant)
  expect(await merchantName()).toBe('Shop')
  const at = `/merchant-accounts/${merchant.account}/three-ds-configurations/${id}`
  await merchant.put(at, { merchant_name: 'New name' })
  expect(await merchantName()).toBe('New name')
  await merchant.put(at, { currency: 'EUR' })
  expect(await merchantName()).toBeUndefined()
  await merchant.put(at, { currency: 'USD' })
  expect(await merchantName()).toBe('New name')
  await merchant.delete(at)
  expect(await merchantName()).toBeUndefined()
})

const base: ThreeDSConfiguration = {
  type: 'merchant-account.three-ds-configuration',
  id: '',
  merchant_account_id: 'm',
  scheme: 'visa',
  currency: null,
  metadata: {},
  merchant_acquirer_bin: '1',
  merchant_acquirer_id: '2',
  merchant_name: 'Shop',
  merchant_country_code: '276',
  merchant_category_code: '5045',
  merchant_url: 'https://shop.example',
  created_at: '',
  updated_at: '',
}

test.each<[string, Partial<ThreeDSConfiguration>, Partial<ThreeDSConfiguration>]>([
  [
    'the one for the currency goes before the one for any currency',
    { currency: 'USD' },
    { metadata: { shop: 'a' }, merchant_country_code: '840' },
  ],
  [
    'the one in the country of the transaction goes before the other',
    { merchant_country_code: '840' },
    { metadata: { shop: 'a' } },
  ],
  ['the one with more metadata goes before the one with less', { metadata: { shop: 'a' } }, {}],
])('of two configurations that fit, %s', (_, better, worse) => {
  const [first, second] = [
    { ...base, ...better, id: 'better' },
    { ...base, ...worse, id: 'worse' },
  ]
  expect([
    bestConfiguration([first, second], payment)?.id,
    bestConfiguration([second, first], payment)?.id,
  ]).toEqual(['better', 'better'])
})

test('of two configurations that fit equally well the newer one is used', () => {
  expect(
    bestConfiguration(
      [
        { ...base, id: 'newer' },
        { ...base, id: 'older' },
      ],
      payment,
    )?.id,
  ).toBe('newer')
})

const text = fc.constantFrom('a', 'b')
const metadata = fc.dictionary(fc.constantFrom('shop', 'brand', 'constructor'), text, { maxKeys: 3 })
const currency = fc.option(fc.constantFrom('USD', 'EUR'))
const configurations = fc
  .array(
    fc.record({
      scheme: fc.constantFrom('visa' as const, 'amex' as const),
      currency,
      metadata,
      merchant_country_code: fc.constantFrom('840', '276'),
    }),
    { maxLength: 8 },
  )
  .map((all) => all.map((each, index): ThreeDSConfiguration => ({ ...base, ...each, id: String(index) })))
const payments: fc.Arbitrary<PaymentForProfile> = fc.record({
  scheme: fc.constantFrom('visa', 'amex', 'jcb', null),
  currency,
  country: fc.constantFrom('US', 'DE', 'ZZ', null),
  metadata: fc.option(metadata),
})

/** Whether a configuration can be used for a payment, computed in another way. */
const fits = (configuration: ThreeDSConfiguration, paid: PaymentForProfile) =>
  configuration.scheme === paid.scheme &&
  [null, paid.currency].includes(configuration.currency) &&
  JSON.stringify({ ...paid.metadata, ...configuration.metadata }) === JSON.stringify(paid.metadata ?? {})

const numeric: Record<string, string> = { US: '840', DE: '276' }

test('a configuration is found exactly if one fits, and it is the best of those that fit', () => {
  const worth = (configuration: ThreeDSConfiguration, paid: PaymentForProfile, newerThan: number) =>
    (configuration.currency === null ? 0 : 1_000_000) +
    (paid.country !== null && configuration.merchant_country_code === numeric[paid.country] ? 100_000 : 0) +
    Object.keys(configuration.metadata).length * 1_000 +
    newerThan
  fc.assert(
    fc.property(configurations, payments, (all, paid) => {
      const usable = all.filter((configuration) => fits(configuration, paid))
      const worths = new Map(usable.map((each) => [each.id, worth(each, paid, all.length - Number(each.id))]))
      const best = bestConfiguration(all, paid)
      expect(best && worths.get(best.id)).toBe(usable.length === 0 ? undefined : Math.max(...worths.values()))
    }),
    { numRuns: 2_000 },
  )
})
