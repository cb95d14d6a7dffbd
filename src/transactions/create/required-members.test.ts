import { afterAll, expect, test } from 'vitest'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { redirected, walletService } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openBnplShop(railyard)
const own = { 'x-svc-merchant-account-id': shop.account }
expect(await railyard.admin.post('/payment-services', walletService(), own)).toMatchObject({ status: 201 })
afterAll(() => expectBooksMatch(railyard, shop.account))

const bnpl = { method: 'bnpl', country: 'DE', currency: 'EUR' }
const { redirect_url: _, ...wallet } = redirected

/** The answer to a request that lacks these members. */
const lacks = (...paths: string[][]) => ({
  status: 422,
  body: {
    detail: paths.map((path) => ({
      loc: ['body', ...path],
      type: 'required',
      msg: `must have required property '${path.at(-1)}'`,
    })),
  },
})

test('a payment whose buyer approves in the merchant’s page needs no redirect_url', async () => {
  const { id, token } = await shop.approvedInClient(61_00, { payment_method: bnpl })
  expect(await shop.complete(id, token)).toMatchObject({
    status: 200,
    body: { status: 'authorization_succeeded', authorized_amount: 61_00 },
  })
})

test.each([undefined, 'web'])(
  'a payment that was approved with the express button needs no redirect_url (integration client %s)',
  async (integration_client) => {
    const token = await shop.pressExpress(62_00)
    const { body } = await shop.buyExpress(62_00, token, {
      payment_method: bnpl,
      ...(integration_client && { integration_client }),
    })
    expect(body).toMatchObject({ status: 'authorization_succeeded', authorized_amount: 62_00 })
  },
)

test('a payment whose buyer leaves the merchant’s page needs a redirect_url', async () => {
  const missing = lacks(['payment_method', 'redirect_url'])
  expect(await shop.buy(63_00, { payment_method: bnpl })).toMatchObject(missing)
  expect(await shop.buy(63_00, { payment_method: { ...bnpl, redirect_url: null } })).toMatchObject(missing)
  expect(await shop.buy(63_00, { payment_method: bnpl, integration_client: 'redirect' })).toMatchObject(
    missing,
  )
  expect(await shop.pay(63_00, { country: 'US', payment_method: wallet })).toMatchObject(missing)
  expect(
    await shop.pay(63_00, { country: 'US', payment_method: wallet, integration_client: 'web' }),
  ).toMatchObject(missing)
  expect(
    await shop.pay(63_00, {
      country: 'NL',
      payment_method: { method: 'ideal', country: 'NL', currency: 'EUR' },
    }),
  ).toMatchObject(missing)
})

test('payments with the methods wallet and bnpl need a country, and card payments do not', async () => {
  expect(await shop.buy(64_00, { country: undefined })).toMatchObject(lacks(['country']))
  expect(await shop.pay(64_00, { payment_method: redirected })).toMatchObject(lacks(['country']))
  expect(await shop.pay(64_00, { payment_method: bnpl })).toMatchObject(
    lacks(['country'], ['payment_method', 'redirect_url']),
  )
  expect(await shop.pay(64_00)).toMatchObject({
    status: 201,
    body: { status: 'authorization_succeeded', country: null },
  })
})
