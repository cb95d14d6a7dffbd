import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import { joinModules } from '../page/join-modules.ts'
import type { ProviderName, ServedScript } from './providers/provider.ts'

/** A file below `/elements/assets`. Its name has a hash of its content, so that browsers may keep it for ever. */
export interface Asset {
  path: string
  type: string
  content: string
  integrity: string
}

const moduleUrls = (...paths: string[]) => paths.map((path) => new URL(path, import.meta.url))

const cardModules = moduleUrls(
  'script/card-format.js',
  'script/frame.js',
  'script/session-fields.js',
  'script/card-fields.js',
  'script/card-holder.js',
)

/** The script of frames with card fields. */
export const cardScript: string = joinModules([
  ...cardModules,
  ...moduleUrls('script/provider-token.js', 'script/start.js'),
])

/** The script of a checkout, of the dialog for the card's issuer and of the page behind it. */
export const checkoutScript: string = joinModules([
  ...cardModules,
  ...moduleUrls(
    'script/checkout-payment.js',
    'script/checkout-methods.js',
    'script/gift-cards.js',
    'script/apple-sheet.js',
    'script/wallets.js',
    'script/issuer-page.js',
    'script/three-ds-method.js',
    'script/checkout.js',
    'script/challenge.js',
    'script/start-checkout.js',
  ),
])

/** What pages that show card fields run: the modules of `@railyard/elements`. */
export const loaderModules: readonly URL[] = moduleUrls(
  'loader/error.js',
  'loader/settle-later.js',
  'loader/frame-host.js',
  'loader/conversation.js',
  'loader/served-script.js',
  'loader/provider-fields.js',
  'loader/card-element.js',
  'loader/card-field-elements.js',
  'loader/checkout-element.js',
  'loader/load-railyard.js',
)

/** For pages without a bundler: `railyard` is a global variable. */
export const loaderScript = `globalThis.railyard = (() => {
${joinModules(loaderModules)}
return Object.freeze({ loadRailyard, RailyardElementsError })
})()
`

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

const asset = (name: string, extension: string, type: string, content: string): Asset => ({
  path: `/elements/assets/${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`,
  type,
  content,
  integrity: integrityOf(content),
})

export const scriptAsset: Asset = asset('card', 'js', 'text/javascript; charset=utf-8', cardScript)
export const styleAsset: Asset = asset('card', 'css', 'text/css; charset=utf-8', read('card.css'))
export const checkoutScriptAsset: Asset = asset(
  'checkout-frame',
  'js',
  'text/javascript; charset=utf-8',
  checkoutScript,
)
export const checkoutStyleAsset: Asset = asset(
  'checkout-frame',
  'css',
  'text/css; charset=utf-8',
  read('card.css') + read('checkout.css'),
)
export const loaderAsset: Asset = asset('loader', 'js', 'text/javascript; charset=utf-8', loaderScript)

/** What a merchant's page runs beside the frame of a checkout. A module, so it has no global names but its own. */
export const checkoutPartAsset: Asset = asset(
  'checkout-part',
  'js',
  'text/javascript; charset=utf-8',
  joinModules(moduleUrls('loader/settle-later.js', 'loader/challenge-dialog.js', 'loader/checkout-part.js')),
)

/** What a merchant's page runs to show the fields of a provider. Modules, so they have no global names. */
export const providerAssets: Readonly<Record<ProviderName, Asset>> = {
  adyen: providerAsset('adyen'),
  checkout: providerAsset('checkout'),
  mollie: providerAsset('mollie'),
  stripe: providerAsset('stripe'),
}

function providerAsset(name: ProviderName): Asset {
  const modules = moduleUrls('providers/offer-provider.js', `providers/${name}.js`)
  return asset(name, 'js', 'text/javascript; charset=utf-8', joinModules(modules))
}

/** How the loader names a script that it loads. */
export const servedScript = ({ path, integrity }: Asset): ServedScript => ({
  file: path.slice(path.lastIndexOf('/') + 1),
  integrity,
})

export const assets: ReadonlyMap<string, Asset> = new Map(
  [
    scriptAsset,
    styleAsset,
    checkoutScriptAsset,
    checkoutStyleAsset,
    checkoutPartAsset,
    loaderAsset,
    ...Object.values(providerAssets),
  ].map((each) => [each.path, each]),
)

/** For the inventory of scripts. */
export const elementScripts: readonly HostedScript[] = [
  {
    page: 'card-fields',
    path: scriptAsset.path,
    source: cardScript,
    purpose: 'Takes the card that the buyer enters, and sends it to the checkout session',
  },
  {
    page: 'card-fields',
    path: loaderAsset.path,
    source: loaderScript,
    purpose: 'Shows the frame with card fields in a merchant’s page that loads it from here',
  },
  ...Object.values(providerAssets).map(({ path, content }) => ({
    page: 'card-fields' as const,
    path,
    source: content,
    purpose: 'Shows the fields of the provider’s own script in a merchant’s page, in place of card fields',
  })),
  {
    page: 'checkout',
    path: checkoutScriptAsset.path,
    source: checkoutScript,
    purpose:
      'Shows the ways to pay, takes the card, lets the card’s issuer see the browser, pays, and shows the page of the issuer',
  },
  {
    page: 'checkout',
    path: checkoutPartAsset.path,
    source: checkoutPartAsset.content,
    purpose:
      'Tells a merchant’s page the result of its checkout, and opens the dialog with the issuer’s page',
  },
]
