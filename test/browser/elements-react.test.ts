import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { goodClaims, signed } from '../support/tokens.ts'
import { frameOf, openElementsShop, typeCard } from './elements-shop.ts'

const town = await openElementsShop()

/** The shop's page: what a merchant writes, bundled with React and the package as it is published. */
const shopPage = `
import { createElement as h, StrictMode, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { RailyardElementsError } from '@railyard/elements'
import { CardElement, CheckoutElement, useRailyard } from '@railyard/elements/react'

function Shop({ element, railyardOptions }) {
  const [session, setSession] = useState(railyardOptions.session)
  const [change, setChange] = useState(null)
  const [result, setResult] = useState('')
  const railyard = useRailyard({ ...railyardOptions, session })
  const ref = useRef(null)
  const pay = () =>
    (element === 'card' ? ref.current.submit() : ref.current.confirm()).then(
      (paid) => setResult(JSON.stringify(paid)),
      (error) => setResult(error instanceof RailyardElementsError ? error.code : 'another class'),
    )
  globalThis.setSession = setSession
  return h('div', null,
    h(element === 'card' ? CardElement : CheckoutElement, { railyard, ref, country: 'US', onChange: setChange, style: { fontSize: '18px' } }),
    h('button', { disabled: !change?.complete, onClick: pay }, 'Pay'),
    h('output', null, result))
}
globalThis.show = (element, railyardOptions) => {
  const root = createRoot(document.getElementById('root'))
  root.render(h(StrictMode, null, h(Shop, { element, railyardOptions })))
  return root
}
`

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: 'shop',
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'shop',
        resolveId: (id) => (id === 'shop' ? `${process.cwd()}/test/browser/shop.js` : null),
        load: (id) => (id.endsWith('/test/browser/shop.js') ? shopPage : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  return output[0].code
}
const script = await bundled()

async function openPage(element: 'card' | 'checkout') {
  const session = await town.session()
  const embed = { amount: 12_99, currency: 'USD' }
  const token = await signed(town.shop.signer, goodClaims({ scopes: ['embed'], embed }))
  const page = await town.open({
    body: '<h1>Pay</h1><div id="root"></div>',
    script,
    policy: { 'script-src': `${town.railyard.url}/elements/` },
  })
  await page.evaluate(
    `globalThis.root = show(${JSON.stringify(element)}, ${JSON.stringify({ origin: town.railyard.url, session, token })})`,
  )
  return { page, frame: await frameOf(page, '#root iframe') }
}

test('a page in React shows a card, and submits it into the session of the last render', async () => {
  const { page, frame } = await openPage('card')
  const next = await town.session()
  await page.evaluate(`setSession(${JSON.stringify(next)})`)
  await typeCard(frame)
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('{"brand":"visa","last4":"1111"}').waitFor()
  expect((await town.shop.get(`/checkout/sessions/${next}`)).body.payment_method.label).toBe('1111')
  expect(await frame.evaluate('getComputedStyle(document.querySelector("#number")).fontSize')).toBe('18px')
})

test('a page in React shows a checkout, which pays, and takes it away with the component', async () => {
  const { page, frame } = await openPage('checkout')
  await typeCard(frame)
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByText('authorization_succeeded').waitFor()
  await page.evaluate('root.unmount()')
  expect(await page.locator('iframe').count()).toBe(0)
})
