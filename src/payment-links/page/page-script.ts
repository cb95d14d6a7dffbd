import { loaderModules } from '../../elements/loader-script.js'
import type { HostedScript } from '../../page/hosted-page.ts'
import { joinModules } from '../../page/join-modules.js'

/**
 * The page's script, with the loader of card fields. It stands within the page, so that both are always of one
 * version. The modules of `script/` have a TypeScript project of their own, for a browser.
 */
export const script = joinModules([
  ...loaderModules,
  // each module after those that it imports
  ...['payment.js', 'card.js', 'apple-pay.js', 'pay.js'].map(
    (name) => new URL(`script/${name}`, import.meta.url),
  ),
])

/** For the inventory of scripts. */
export const payPageScripts: readonly HostedScript[] = [
  {
    page: 'payment-link',
    path: null,
    source: script,
    purpose:
      'Shows the frame with card fields, sends what the buyer chooses to Railyard, and follows the outcome of the payment',
  },
]
