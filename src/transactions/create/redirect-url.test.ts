import { expect, test } from 'vitest'
import { goTo, openWalletShop, redirected } from '../../../test/support/domains/wallet.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openWalletShop(railyard)

const pay = (redirect_url: string) => shop.ask(10_00, { payment_method: { ...redirected, redirect_url } })
const refused = invalidFields('/payment_method/redirect_url')

test.each([
  'https://shop.example/thanks',
  'http://localhost:3000/thanks',
  'http://192.168.1.20:3000/thanks',
  'http://shop.test/thanks',
])('in the sandbox %s is accepted as a redirect_url', async (url) =>
  expect(await pay(url)).toMatchObject({ status: 201, body: { status: 'buyer_approval_pending' } }),
)

test.each([
  'http://shop.example/thanks',
  'http://93.184.216.34/',
  'ftp://shop.example',
  'javascript:alert(1)',
  'data:text/html,hello',
  'thanks',
  '',
])('%s is refused as a redirect_url', async (url) => {
  expect((await pay(url)).status).toBeOneOf([400, 422])
  if (url) expect(await pay(url)).toMatchObject(refused)
})

test('a data URL is accepted as a redirect_url, so that an app’s web view can recognize the return', async () => {
  const value = `data:application/json;base64,${Buffer.from('{"order":7}').toString('base64')}`
  const payment = await shop.asked(11_00, { payment_method: { ...redirected, redirect_url: value } })
  const { location } = await goTo(await payment.buyer.approve())
  expect(location.href).toBe(
    `${value}?svc_transaction_id=${payment.id}&svc_transaction_status=authorization_succeeded`,
  )
})
