import { loaderModules } from '../../elements/assets.ts'
import type { HostedScript } from '../../page/hosted-page.ts'
import { joinModules } from '../../page/join-modules.ts'
import { googlePayScript } from './google-pay.ts'

/**
 * The page's script, which stands within the page, so that both are always of one version: the modules of
 * `@railyard/elements`, which show the card's fields, and those of `script/`. They have a TypeScript project of
 * their own, for a browser.
 */
export const script = joinModules([
  ...loaderModules,
  // each module after those that it imports
  ...[
    'script/payment.js',
    'script/card.js',
    '../../elements/script/apple-sheet.js',
    'script/apple-pay.js',
    'script/google-pay.js',
    'script/pay.js',
  ].map((path) => new URL(path, import.meta.url)),
])

/** For the inventory of scripts. */
export const payPageScripts: readonly HostedScript[] = [
  {
    page: 'payment-link',
    path: null,
    source: script,
    purpose: 'Shows the ways to pay, sends the buyer’s choice to Railyard, and follows the outcome',
  },
  googlePayScript,
]
