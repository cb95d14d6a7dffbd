import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'

/** A file below `/elements/assets`. Its name has a hash of its content, so that browsers may keep it for ever. */
export interface Asset {
  path: string
  type: string
  content: string
  integrity: string
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Each module after those that it imports. */
const cardModules = ['card-format.js', 'frame.js', 'card-fields.js', 'card-holder.js']

/**
 * A script of the frames: modules of `script/`, joined. Their names are unique, so it is enough to remove
 * `import` and `export`; no bundler is needed in production.
 */
const joined = (modules: readonly string[]): string =>
  modules
    .map((name) => read(`script/${name}`))
    .join('\n')
    .replace(/^import [^']*'.*'$/gm, '')
    .replace(/^export /gm, '')
    // comments are for those who read the source
    .replace(/^\s*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, '')

/** The script of frames with card fields. */
export const cardScript: string = joined([...cardModules, 'start.js'])
/** The script of a checkout, of the dialog for the card's issuer and of the page behind it. */
export const checkoutScript: string = joined([
  ...cardModules,
  'checkout-payment.js',
  'checkout-methods.js',
  'gift-cards.js',
  'checkout.js',
  'challenge.js',
  'start-checkout.js',
])

const asset = (name: string, extension: string, type: string, content: string): Asset => ({
  path: `/elements/assets/${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`,
  type,
  content,
  integrity: integrityOf(content),
})

export const scriptAsset: Asset = asset('card', 'js', 'text/javascript; charset=utf-8', cardScript)
export const styleAsset: Asset = asset('card', 'css', 'text/css; charset=utf-8', read('card.css'))
export const checkoutScriptAsset: Asset = asset(
  'checkout',
  'js',
  'text/javascript; charset=utf-8',
  checkoutScript,
)
export const checkoutStyleAsset: Asset = asset(
  'checkout',
  'css',
  'text/css; charset=utf-8',
  read('card.css') + read('checkout.css'),
)

/** The script for a merchant's page. Undefined where the packages were not built. */
export const loaderAsset: Asset | undefined = builtLoader()

function builtLoader(): Asset | undefined {
  try {
    return asset(
      'loader',
      'js',
      'text/javascript; charset=utf-8',
      read('../../packages/elements/dist/loader.js'),
    )
  } catch {
    return undefined
  }
}

export const assets: ReadonlyMap<string, Asset> = new Map(
  [scriptAsset, styleAsset, checkoutScriptAsset, checkoutStyleAsset, loaderAsset].flatMap((each) =>
    each ? [[each.path, each]] : [],
  ),
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
    page: 'checkout',
    path: checkoutScriptAsset.path,
    source: checkoutScript,
    purpose: 'Shows the ways to pay, takes the card, pays, and shows the page of the card’s issuer',
  },
]
