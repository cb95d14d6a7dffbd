import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type HostedScript, integrityOf } from '../page/hosted-page.ts'
import { joinModules } from '../page/join-modules.js'
import { loaderScript } from './loader-script.js'

/** A file below `/elements/assets`. Its name has a hash of its content, so that browsers may keep it for ever. */
export interface Asset {
  path: string
  type: string
  content: string
  integrity: string
}

/** The script of the frames. */
export const cardScript: string = joinModules(
  // each module after those that it imports
  ['card-format.js', 'frame.js', 'card-fields.js', 'card-holder.js', 'start.js'].map(
    (name) => new URL(`script/${name}`, import.meta.url),
  ),
)

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

/** The script for a merchant's page. */
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
]
