import { afterAll, expect, test } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { CHALLENGED_CARD } from './fake-payments.ts'
import { encrypted } from './harness.ts'
import { openAdyenShopForFile } from './shop.ts'

// Payments that are cancelled while their cardholder is at the issuer.

const { adyen, fake } = await openAdyenShopForFile()
const { railyard, shop } = adyen
afterAll(async () => {
  expect((await verify(railyard.world.run)).findings).toEqual([])
  expect(await adyen.differences()).toEqual([])
})

/** A payment whose cardholder has passed the challenge, and is on the way back to Railyard. */
async function challenged() {
  const { payment_method } = adyen.payment as { payment_method: object }
  const payment = await shop.authorized(10_00, {
    ...adyen.payment,
    payment_method: {
      ...payment_method,
      token: { ...encrypted, encryptedCardNumber: `test_${CHALLENGED_CARD}` },
      redirect_url: 'https://shop.example/back',
    },
  })
  const { status, payment_method: method } = await payment.read()
  expect(status).toBe('buyer_approval_pending')
  const returned = fake.visit?.(method.approval_url, 'approve') ?? {}
  const request = fake.requests.findLast(({ path }) => path === '/payments')
  const url = new URL(`${request?.body['returnUrl']}`)
  for (const [name, value] of Object.entries(returned)) url.searchParams.set(name, value)
  const comeBack = () => fetch(`${railyard.url}${url.pathname}${url.search}`, { redirect: 'manual' })
  return { payment, comeBack }
}

test('a cardholder who comes back before Adyen has decided the cancellation pays nothing', async () => {
  const { payment, comeBack } = await challenged()
  expect(await payment.cancel()).toMatchObject({ status: 200 })
  const before = fake.effects().length
  expect((await comeBack()).headers.get('location')).toContain(
    'svc_transaction_status=buyer_approval_pending',
  )
  expect(fake.effects()).toHaveLength(before)
  expect(await payment.cancel()).toMatchObject({ status: 425 })

  await adyen.deliver()
  adyen.advance(16 * 60_000)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code: 'canceled' })
})

test('an approval whose answer comes while the payment is being closed is not believed', async () => {
  const { payment, comeBack } = await challenged()
  const answering = adyen.holdAnswer(/\/payments\/details/)
  const back = comeBack()
  await answering.held
  // the cardholder's time is over: the payment is closed at Adyen, which cancels what it has just authorized
  adyen.advance(2 * 3_600_000)
  await railyard.recovery.runOnce()
  answering.release()
  expect((await back).headers.get('location')).toContain('svc_transaction_status=buyer_approval_pending')

  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code: 'canceled' })
  expect(fake.effects().slice(-2)).toMatchObject([{ kind: 'authorize' }, { kind: 'cancel' }])
})
