import { readFileSync } from 'node:fs'
import type { HostedScript } from '../../page/hosted-page.ts'

/** Each module after those that it imports. */
const modules = [
  '../../elements/script/card-format.js',
  'script/payment.js',
  'script/card-form.js',
  'script/pay.js',
]

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/**
 * The page's script, which stands within the page, so that both are always of one version. The modules of
 * `script/`, joined: their names are unique, so it is enough to remove `import` and `export`. They have a
 * TypeScript project of their own, for a browser.
 */
export const script = modules
  .map(read)
  .join('\n')
  .replace(/^import [^']*'.*'$/gm, '')
  .replace(/^export /gm, '')

/** For the inventory of scripts. */
export const payPageScripts: readonly HostedScript[] = [
  {
    page: 'payment-link',
    path: null,
    source: script,
    purpose: 'Takes what the buyer enters, sends it to Railyard, and follows the outcome of the payment',
  },
]
