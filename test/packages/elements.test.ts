import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  checkoutPartAsset,
  checkoutScriptAsset,
  checkoutStyleAsset,
  loaderAsset,
  providerAssets,
  scriptAsset,
  styleAsset,
} from '../../src/elements/assets.ts'
import { cardDocument } from '../../src/elements/card.page.ts'
import { checkoutDocument } from '../../src/elements/checkout.page.ts'
import { chooseCardWords, chooseCheckoutWords } from '../../src/elements/words/choose.ts'
import { compileStrictly, resolutionsOf } from './foreign-project.ts'

const run = promisify(execFile)
const root = process.cwd()
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'railyard-foreign-'))
  await run(
    'npm',
    ['pack', '--workspace', '@railyard/elements', '--ignore-scripts', '--pack-destination', project],
    { cwd: root },
  )
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true }))
  await run(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', join(project, 'railyard-elements-0.1.0.tgz')],
    { cwd: project },
  )
})
afterAll(() => rm(project, { recursive: true, force: true }))

const usage = `
async function pay(session: string): Promise<string | null> {
  const elements = await loadRailyard({ origin: 'https://pay.example', session, token: 'signed' })
  const card = elements.card({ style: { fontSize: '16px' }, locale: 'de' })
  card.mount('#card')
  const stop: () => void = card.on('change', ({ complete, brand }) => console.log(complete, brand))
  card.on('error', ({ code }) => console.log(code))
  stop()
  // @ts-expect-error there is no such event
  card.on('digits', () => undefined)
  // @ts-expect-error there is no such style
  card.update({ style: { backgroundImage: 'url(x)' } })
  elements.cardFields().number.mount('#number')
  const checkout = elements.checkout({ country: 'DE', returnUrl: 'https://shop.example/done' })
  checkout.mount('#checkout')
  checkout.on('change', ({ method, complete }) => console.log(method, complete))
  checkout.on('paid', ({ transaction }) => console.log(transaction.id))
  // @ts-expect-error the page learns no digits of a checkout
  checkout.on('change', ({ last4 }) => console.log(last4))
  const { transaction } = await checkout.confirm()
  console.log(transaction.id, transaction.status)
  elements.useSession(session, 'another token')
  return (await card.submit()).last4
}
const code = (error: unknown) =>
  error instanceof RailyardElementsError ? [error.code, error.advice === 'bank'] : undefined
`
const esm = `import { loadRailyard, RailyardElementsError } from '@railyard/elements'
${usage}
export { code, pay }
`
const commonjs = `import elements = require('@railyard/elements')
const { loadRailyard, RailyardElementsError } = elements
${usage}
export = { code, pay }
`

test.each(resolutionsOf({ esm, commonjs }))(
  'a strict project compiles with %s resolution (%s)',
  async (...compiled) => {
    expect(await compileStrictly(project, compiled, ['es2022', 'dom', 'dom.iterable'])).toBe('')
  },
)

test('a strict project compiles with the components for React', async () => {
  await mkdir(join(project, 'node_modules/@types'))
  for (const name of ['react', '@types/react', 'csstype'])
    await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name))
  const source = `import { createElement, useRef } from 'react'
import type { CheckoutElement as Checkout } from '@railyard/elements'
import { CardElement, type CardElementProps, CheckoutElement, useRailyard } from '@railyard/elements/react'

export function Shop(session: string) {
  const railyard = useRailyard({ origin: 'https://pay.example', session, token: 'signed' })
  const checkout = useRef<Checkout>(null)
  const id: Promise<string> | undefined = checkout.current?.confirm().then(({ transaction }) => transaction.id)
  // @ts-expect-error a card has no method
  const wrong: CardElementProps = { railyard, onChange: ({ method }) => console.log(method) }
  return [id, createElement(CardElement, wrong), createElement(CheckoutElement, { railyard, ref: checkout, country: 'DE', onChange: ({ method }) => console.log(method) })]
}
`
  const compiled = ['bundler', 'index.mts', source] as const
  expect(await compileStrictly(project, compiled, ['es2022', 'dom', 'dom.iterable'])).toBe('')
})

test('the package has no dependency, and React is optional', async () => {
  const installed = join(project, 'node_modules/@railyard/elements')
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ sideEffects: false, type: 'module' })
  expect(manifest.dependencies ?? {}).toEqual({})
  expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } })
  expect(await readFile(join(installed, 'dist/index.js'), 'utf8')).not.toMatch(/react/i)
})

const size = (text: string) => gzipSync(text).length
const frame = {
  fields: ['number', 'expiry', 'code', 'postalCode'],
  parent: 'https://shop.example',
  session: '018f0000-0000-7000-8000-000000000000',
  base: 'https://fields.example',
} as const
/** With the adapter to a provider's fields, which the page loads beside the frame. */
const cardFiles = (locale: string) =>
  size(cardDocument({ ...frame, view: 'card', words: chooseCardWords(locale, undefined) })) +
  size(scriptAsset.content) +
  size(styleAsset.content) +
  Math.max(...Object.values(providerAssets).map(({ content }) => size(content)))
const checkoutFiles = (locale: string) =>
  size(
    checkoutDocument({
      ...frame,
      cardWords: chooseCardWords(locale, undefined),
      words: chooseCheckoutWords(locale, undefined),
      returned: 'https://fields.example/elements/returned/default',
      publicUrl: 'https://pay.example',
      runsThreeDSMethod: true,
      takesGiftCards: true,
      wallets: {
        applePay: { country: 'DE' },
        googlePay: { environment: 'PRODUCTION', merchantId: null, country: 'DE' },
      },
    }),
  ) +
  size(checkoutScriptAsset.content) +
  size(checkoutStyleAsset.content) +
  size(checkoutPartAsset.content)

test.each([
  ['card fields', cardFiles],
  ['a checkout', checkoutFiles],
])('the script of a merchant’s page and everything that %s loads stay small', (_, sizeOf) => {
  const loader = size(loaderAsset.content)
  expect(loader).toBeLessThan(5_000)
  expect(loader + Math.max(...['en', 'ja'].map(sizeOf))).toBeLessThan(25_000)
})
