import { elementsUrl } from '../../page/elements-url.ts'
import { integrityOf, reportUrl } from '../../page/hosted-page.ts'
import { isPolicyOrigin } from '../../page/policy-origin.ts'
import type { World } from '../../world.ts'
import { accentStyle } from './document.ts'
import { googlePaySources } from './google-pay.ts'
import type { Order } from './order.ts'
import { script } from './page-script.ts'
import { style } from './style.ts'

const hash = (text: string) => `'${integrityOf(text)}'`
const hashes = { script: hash(script), style: hash(style) }

/**
 * The Content-Security-Policy of the page. It allows the page's own script and style, requests to this
 * server, the frame with card fields, and the merchant's two pictures. It allows no form: the script alone sends
 * what the buyer enters. `googlePayNonce`: the page offers Google Pay; null: it names nothing of Google's.
 */
function payPolicy(
  world: Parameters<typeof elementsUrl>[0],
  order: Order | null,
  googlePayNonce: string | null,
): string[] {
  const google = googlePayNonce === null ? null : googlePaySources(googlePayNonce)
  const pictures = [order?.banner, order?.favicon]
    .flatMap((url) => (url ? [new URL(url).origin] : []))
    .filter(isPolicyOrigin)
  const images = [...new Set(pictures), ...(google ? [google.image] : [])]
  const and = (source: string | undefined) => (source ? ` ${source}` : '')
  return [
    "default-src 'none'",
    `script-src ${hashes.script}${and(google?.script)}`,
    `style-src ${hashes.style}${and(order ? hash(accentStyle(order.accent)) : undefined)}${and(google?.style)}`,
    `connect-src 'self'${and(google?.connect)}`,
    `frame-src ${new URL(elementsUrl(world)).origin}${and(google?.frame)}`,
    ...(images.length > 0 ? [`img-src ${images.join(' ')}`] : []),
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
}

/** The headers of the page of a link of this merchant account. */
export function payHeaders(
  world: Pick<World, 'cipher' | 'publicUrl' | 'settings'>,
  account: string,
  order: Order | null,
  googlePayNonce: string | null = null,
): Record<string, string> {
  const policy = [
    ...payPolicy(world, order, googlePayNonce),
    `report-uri ${reportUrl(world, account, 'payment-link')}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    // the URL is a credential
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
