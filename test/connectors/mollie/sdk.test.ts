import { CaptureMethod, createMollieClient, PaymentMethod, SequenceType } from '@mollie/api-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serveFake } from '../support/loopback.ts'
import { API_KEY, mollieFake } from './fake.ts'

// The provider's official library is the judge of the fake: it reads its answers, and the fake takes its
// requests. It speaks TLS only, and has nothing that verifies webhooks.

/** The library, and the fake that it talks to over a loopback server. */
async function openLibrary() {
  const fake = mollieFake()
  // the library trusts its own list of authorities only, and here talks to this machine only
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const server = await serveFake(fake, { isTls: true })
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close()
  })
  const apiEndpoint = `https://127.0.0.1:${server.port}/v2/`
  return { fake, mollie: createMollieClient({ apiKey: API_KEY, apiEndpoint }) }
}

const eur = (value: string) => ({ currency: 'EUR', value })
const shop = { description: 'Order 1', redirectUrl: 'https://shop.example/back' }

test('the library pays on a page, and sees that the buyer has paid', async () => {
  const { fake, mollie } = await openLibrary()
  const created = await mollie.payments.create({
    ...shop,
    amount: eur('10.00'),
    method: PaymentMethod.ideal,
  })
  expect(created.status).toBe('open')
  const page = created.getCheckoutUrl()
  expect(page).toMatch(/^https:\/\/www\.mollie\.com\/checkout\/tr_/)
  fake.visit?.(page ?? '', 'approve')
  const paid = await mollie.payments.get(created.id)
  expect(paid).toMatchObject({ status: 'paid', amount: eur('10.00') })
})

test('the library authorizes a card, captures a part of it, releases the rest and refunds', async () => {
  const { fake, mollie } = await openLibrary()
  const { id } = await mollie.payments.create({
    ...shop,
    amount: eur('10.00'),
    method: PaymentMethod.creditcard,
    captureMode: CaptureMethod.manual,
    cardToken: 'tkn_approve',
  })
  const capture = await mollie.paymentCaptures.create({ paymentId: id, amount: eur('4.00') })
  expect(capture).toMatchObject({ status: 'pending', amount: eur('4.00') })
  fake.advance(60_000)
  expect((await mollie.paymentCaptures.page({ paymentId: id }))[0]).toMatchObject({ status: 'succeeded' })
  await mollie.payments.releaseAuthorization(id)
  expect(await mollie.payments.get(id)).toMatchObject({ status: 'paid' })
  const refund = await mollie.paymentRefunds.create({ paymentId: id, amount: eur('4.00') })
  expect(refund.status).toBe('pending')
  expect((await mollie.paymentRefunds.page({ paymentId: id }))[0]?.id).toBe(refund.id)
})

test('the library charges a mandate', async () => {
  const { mollie } = await openLibrary()
  const customer = await mollie.customers.create({ name: 'Ada', email: 'ada@example.com' })
  const first = await mollie.payments.create({
    ...shop,
    amount: eur('1.00'),
    method: PaymentMethod.creditcard,
    cardToken: 'tkn_approve',
    sequenceType: SequenceType.first,
    customerId: customer.id,
  })
  const mandateId = first.mandateId ?? ''
  const mandate = await mollie.customerMandates.get(mandateId, { customerId: customer.id })
  expect(mandate.status).toBe('valid')
  const charged = await mollie.payments.create({
    amount: eur('2.00'),
    description: 'Order 2',
    sequenceType: SequenceType.recurring,
    customerId: customer.id,
    mandateId,
  })
  expect(charged.status).toBe('paid')
})

test('the library reads refusals, lists and the profile', async () => {
  const { mollie } = await openLibrary()
  const wrong = mollie.payments.create({ ...shop, amount: eur('1') })
  await expect(wrong).rejects.toMatchObject({ statusCode: 422, field: 'amount' })
  for (const value of ['1.00', '2.00', '3.00'])
    await mollie.payments.create({ ...shop, amount: eur(value), method: PaymentMethod.ideal })
  const page = await mollie.payments.page({ limit: 2 })
  expect(page.map(({ amount }) => amount.value)).toEqual(['3.00', '2.00'])
  expect((await mollie.profiles.getCurrent()).status).toBe('verified')
})
