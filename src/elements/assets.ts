import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import { joinModules } from '../page/join-modules.ts'

/** A file below `/elements/assets`. Its name has a hash of its content, so that browsers may keep it for ever. */
export interface Asset {
  path: string
  type: string
  content: string
  integrity: string
}

const moduleUrls = (...paths: string[]) => paths.map((path) => new URL(path, import.meta.url))

/** The script of the frames. */
export const cardScript: string = joinModules(
  moduleUrls(
    'script/card-format.js',
    'script/frame.js',
    'script/card-fields.js',
    'script/card-holder.js',
    'script/start.js',
  ),
)

/** What pages that show card fields run: the modules of `@railyard/elements`. */
export const loaderModules: readonly URL[] = moduleUrls(
  'loader/error.js',
  'loader/frame-host.js',
  'loader/conversation.js',
  'loader/card-element.js',
  'loader/card-field-elements.js',
  'loader/load-railyard.js',
)

/** For pages without a bundler: `railyard` is a global variable. */
export const loaderScript = `globalThis.railyard = (() => {
${joinModules(loaderModules)}
return Object.freeze({ loadRailyard, RailyardElementsError })
})()
`

const asset = (name: string, extension: string, type: string, content: string): Asset => ({
  path: `/elements/assets/${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`,
  type,
  content,
  integrity: integrityOf(content),
})

export const scriptAsset: Asset = asset('card', 'js', 'text/javascript; charset=utf-8', cardScript)
export const styleAsset: Asset = asset(
  'card',
  'css',
  'text/css; charset=utf-8',
  readFileSync(new URL('card.css', import.meta.url), 'utf8'),
)
export const loaderAsset: Asset = asset('loader', 'js', 'text/javascript; charset=utf-8', loaderScript)

export const assets: ReadonlyMap<string, Asset> = new Map(
  [scriptAsset, styleAsset, loaderAsset].map((each) => [each.path, each]),
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
]
