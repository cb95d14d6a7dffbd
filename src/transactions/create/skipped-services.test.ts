import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { externalAuthentication } from '../../../test/support/domains/three-d-secure.ts'
import { redirected, walletService } from '../../../test/support/domains/wallet.ts'
import { card } from '../../../test/support/railyard.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const skippedFor = async (merchant: Shop, id: string) => {
  const { items } = (await merchant.get(`/transactions/${id}/events`)).body
  return items.find(({ name }: { name: string }) => name === 'payment-services-skipped')?.context.skipped
}

test('when every payment service is skipped, the timeline says which and why, and that the payment failed', async () => {
  const merchant = await openShop(railyard)
  const own = { 'x-svc-merchant-account-id': merchant.account }
  const skipped = (id: string, display_name: string, reason: string) => ({
    payment_service_id: id,
    payment_service_display_name: display_name,
    reason,
  })
  const first = merchant.paymentServiceId
  const wallet = (await railyard.admin.post('/payment-services', walletService(), own)).body.id
  const off = await addService(railyard, merchant, { display_name: 'Switched off', active: false })
  const swiss = await addService(railyard, merchant, {
    display_name: 'Swiss',
    accepted_currencies: ['CHF'],
    accepted_countries: ['CH'],
  })

  const inFrance = await merchant.pay(1_00, { country: 'FR' })
  expect(inFrance.body).toMatchObject({ error_code: 'all_attempts_skipped' })
  expect(await skippedFor(merchant, inFrance.body.id)).toEqual([
    skipped(first, 'Mock card', 'does not accept FR'),
    skipped(wallet, 'Wallet', 'does not take card'),
    skipped(off, 'Switched off', 'is not active'),
    skipped(swiss, 'Swiss', 'does not accept EUR'),
  ])
  expect(await merchant.payment(inFrance.body.id).timeline()).toEqual([
    'transaction-api-request',
    'bin-lookup-request',
    'payment-services-skipped',
    'transaction-updated-status',
    'transaction-api-response',
  ])

  const pass = {
    three_d_secure_data: externalAuthentication,
  }
  const lacking = await merchant.pay(1_00, {
    payment_method: { ...redirected, country: 'DE' },
    ...pass,
    country: 'DE',
  })
  expect((await skippedFor(merchant, lacking.body.id))[1]).toEqual(
    skipped(wallet, 'Wallet', 'does not support three_d_secure_pass_through'),
  )
})

test('in an account without payment services the timeline has an empty list of skipped services', async () => {
  const account = `m-${randomUUID()}`
  await railyard.admin.post('/merchant-accounts', { id: account, display_name: 'New' })
  const merchant = await railyard.client({ account })
  const { body } = await merchant.post('/transactions', {
    amount: 1_00,
    currency: 'EUR',
    payment_method: card,
  })
  expect(body).toMatchObject({ error_code: 'all_attempts_skipped' })
  const { items } = (await merchant.get(`/transactions/${body.id}/events`)).body
  expect(items).toContainEqual(
    expect.objectContaining({ name: 'payment-services-skipped', context: { skipped: [] } }),
  )
})

test('the timeline says why a payment skipped a payment service, and has no such entry when none was skipped', async () => {
  const merchant = await openShop(railyard)
  const other = await addService(railyard, merchant, {
    display_name: 'Swiss',
    accepted_currencies: ['CHF'],
    accepted_countries: ['CH'],
  })
  const swiss = await merchant.pay(1_00, { currency: 'CHF', country: 'CH' })
  expect(swiss.body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: other } })
  expect(await skippedFor(merchant, swiss.body.id)).toMatchObject([
    { payment_service_id: merchant.paymentServiceId, reason: 'does not accept CHF' },
  ])
  const named = await merchant.pay(1_00, { payment_service_id: merchant.paymentServiceId })
  expect(await skippedFor(merchant, named.body.id)).toBeUndefined()
})

test.each([
  ['UK', 'is not an ISO 3166-1 code: use GB'],
  ['EL', 'is not an ISO 3166-1 code: use GR'],
  ['XX', 'is not an ISO 3166-1 code, such as GB'],
])('the country %s is refused everywhere because it %s', async (country, message) => {
  const details = [{ location: 'body', pointer: '/country', message }]
  expect(await shop.pay(1_00, { country })).toMatchObject({ status: 400, body: { details } })
  expect(await shop.post('/payment-links', { amount: 1_00, currency: 'GBP', country })).toMatchObject({
    status: 400,
    body: { details },
  })
  expect(await shop.post('/checkout/sessions', { country })).toMatchObject({ status: 400, body: { details } })
  expect(await shop.post('/payment-options', { country })).toMatchObject({ status: 400, body: { details } })
  expect(await shop.get(`/card-details?currency=GBP&country=${country}&bin=411111`)).toMatchObject({
    status: 400,
    body: { details: [{ message }] },
  })
  const redirect = { ...redirected, method: 'ideal', country }
  const ofMethod = [{ location: 'body', pointer: '/payment_method/country', message }]
  expect(await shop.pay(1_00, { payment_method: redirect })).toMatchObject({
    status: 400,
    body: { details: ofMethod },
  })
  const serviceForCountry = addService(railyard, shop, { accepted_countries: [country] })
  await expect(serviceForCountry).rejects.toThrow()
  const rule = {
    display_name: 'Route',
    action: 'route-transaction',
    condition: { field: 'country', operator: 'is', value: country },
    outcome: { attempts: [{ payment_service_id: shop.paymentServiceId }] },
  }
  expect(await shop.put('/flows/card-transaction/rules', { items: [rule] })).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/items/0/condition/value', message }] },
  })
})
