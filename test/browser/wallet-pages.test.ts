import { expect, test } from 'vitest'
import { openBrowserShop, outcome } from './browser-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openBrowserShop()

const toTheWallet = { name: 'Go to the wallet' }

test('the wallet’s page is accessible before and after the approval', async () => {
  const page = await town.buyer()
  await page.getByRole('button', toTheWallet).click()
  const address = page.url()
  const found = await barriers(page, 'wallet-open')
  const [pay, decline] = [
    await page.getByRole('button', { name: 'Pay now' }).boundingBox(),
    await page.getByRole('button', { name: /^Decline/ }).boundingBox(),
  ]
  // buttons are far enough apart for thumbs
  expect((decline?.y ?? 0) - (pay?.y ?? 0) - (pay?.height ?? 0)).toBeGreaterThanOrEqual(8)
  await page.goto(`${address}?popup=https://shop.example&cancelled=`)
  found.push(...(await barriers(page, 'wallet-cancelled')))
  await page.goto(address)
  await page.getByRole('button', { name: 'Pay now' }).click()
  await outcome(page)
  await page.goto(address)
  found.push(...(await barriers(page, 'wallet-approved')))
  await page.goto(`${address}0`)
  found.push(...(await barriers(page, 'wallet-unknown')))
  expect(found).toEqual([])
})

test('the wallet’s page of a declined payment is accessible', async () => {
  const page = await town.buyer()
  await page.getByRole('button', toTheWallet).click()
  const address = page.url()
  await page.getByRole('button', { name: /^Decline/ }).click()
  await outcome(page)
  await page.goto(address)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('This payment was declined')
  expect(await barriers(page, 'wallet-declined')).toEqual([])
})

test('the choice of address and shipping is accessible', async () => {
  const page = await town.buyer()
  await page.getByLabel('I choose an address, and what it costs depends on it').check()
  await page.getByRole('button', toTheWallet).click()
  await page.getByRole('radio', { name: 'Torstraße' }).check()
  await page.getByRole('button', { name: 'Use this address' }).click()
  const found = await barriers(page, 'wallet-shipping')
  await page.getByText('Enter another address').click()
  found.push(...(await barriers(page, 'wallet-new-address')))
  await page.getByRole('radio', { name: 'Stephansplatz' }).check()
  await page.getByRole('button', { name: 'Use this address' }).click()
  await page.getByRole('alert').waitFor()
  found.push(...(await barriers(page, 'wallet-not-delivered')))
  expect(found).toEqual([])
})

test('the wallet’s page works with the keyboard alone', async () => {
  const page = await town.buyer()
  await page.getByRole('button', toTheWallet).press('Enter')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Pay now')
  await page.keyboard.press('Enter')
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('the wallet’s page works in a browser without scripts', async () => {
  const { status, body } = await town.shop.post('/transactions', {
    amount: 1299,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    payment_method: {
      method: 'wallet',
      country: 'DE',
      currency: 'EUR',
      redirect_url: `${town.shop.url}/return`,
    },
    cart_items: [{ name: '<script>document.title = "stolen"</script>', quantity: 1, unit_amount: 1299 }],
    connection_options: {
      'wallet-wallet': {
        brand_name: '<img src=x onerror=alert(1)>',
        shipping_preference: 'NO_SHIPPING',
        locale: 'de-DE',
      },
    },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  const page = await town.buyer({ javaScriptEnabled: false })
  await page.goto(body.payment_method.approval_url)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Pay <img src=x onerror=alert(1)>')
  expect(await page.getByText('<script>document.title = "stolen"</script>').count()).toBe(1)
  expect(await page.locator('.total').innerText()).toBe('12,99\u00a0€')
  await page.getByRole('button', { name: 'Pay now' }).click()
  expect(await outcome(page)).toBe('capture_succeeded')
})
