import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import type { ProviderName } from './providers/types.d.ts'

/** A file below `/elements/assets`. Its name has a hash of its content, so that browsers may keep it for ever. */
export interface Asset {
  path: string
  type: string
  content: string
  integrity: string
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Each module after those that it imports. */
const modules = [
  'card-format.js',
  'frame.js',
  'session-fields.js',
  'card-fields.js',
  'card-holder.js',
  'provider-token.js',
  'start.js',
]

/**
 * The script of the frames: the modules of `script/`, joined. Their names are unique, so it is enough to remove
 * `import` and `export`; no bundler is needed in production.
 */
export const cardScript: string = modules
  .map((name) => read(`script/${name}`))
  .join('\n')
  .replace(/^import [^']*'.*'$/gm, '')
  .replace(/^export /gm, '')
  // comments are for those who read the source
  .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')

const asset = (name: string, extension: string, type: string, content: string): Asset => ({
  path: `/elements/assets/${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`,
  type,
  content,
  integrity: integrityOf(content),
})

export const scriptAsset: Asset = asset('card', 'js', 'text/javascript; charset=utf-8', cardScript)
export const styleAsset: Asset = asset('card', 'css', 'text/css; charset=utf-8', read('card.css'))

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

/** What a merchant's page runs to show the fields of a provider. A module, so it has no global names. */
export const providerAssets: Readonly<Record<ProviderName, Asset>> = {
  adyen: providerAsset('adyen'),
  checkout: providerAsset('checkout'),
  mollie: providerAsset('mollie'),
  stripe: providerAsset('stripe'),
}

function providerAsset(name: ProviderName): Asset {
  return asset(name, 'js', 'text/javascript; charset=utf-8', read(`providers/${name}.js`))
}

export const assets: ReadonlyMap<string, Asset> = new Map(
  [scriptAsset, styleAsset, loaderAsset, ...Object.values(providerAssets)].flatMap((each) =>
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
]
