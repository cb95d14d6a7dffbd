import { elementsUrl } from '../page/elements-url.ts'
import { type HostedPageName, reportUrl } from '../page/hosted-page.ts'
import type { World } from '../world.ts'
import { type Asset, checkoutScriptAsset, checkoutStyleAsset, scriptAsset, styleAsset } from './assets.ts'

interface FramePolicy {
  page: Extract<HostedPageName, 'card-fields' | 'checkout'>
  /** The pages that may show the document, as a policy names them. */
  ancestors: string
  /** Where the document connects to, beside the API. */
  connections?: readonly string[]
  /** Directives of this document in place of `form-action 'none'`. */
  more?: readonly string[]
}

const files: Readonly<Record<FramePolicy['page'], { script: Asset; style: Asset }>> = {
  'card-fields': { script: scriptAsset, style: styleAsset },
  checkout: { script: checkoutScriptAsset, style: checkoutStyleAsset },
}

/**
 * The document loads its script and its style, sends to the API, and does nothing else. Browsers that know
 * `Integrity-Policy` refuse a script without a hash, too.
 */
export function frameHeaders(
  world: World,
  account: string,
  { page, ancestors, connections = [], more = ["form-action 'none'"] }: FramePolicy,
): Record<string, string> {
  const base = elementsUrl(world)
  const report = reportUrl(world, account, page)
  const { script, style } = files[page]
  const policy = [
    "default-src 'none'",
    `script-src ${base}${script.path}`,
    `style-src ${base}${style.path}`,
    ["connect-src 'self'", ...connections].join(' '),
    ...more,
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `report-uri ${report}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'integrity-policy': 'blocked-destinations=(script), endpoints=(railyard)',
    'reporting-endpoints': `railyard="${report}"`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-content-type-options': 'nosniff',
  }
}

/**
 * Browsers look there for the payment method `https://google.com/pay` (Payment Method Manifest), which redirects
 * between these hosts.
 */
export const googlePayConnections: readonly string[] = [
  'https://pay.google.com',
  'https://google.com/pay',
  'https://www.google.com/pay',
]

/**
 * Any issuer's page may be shown, and forms may lead there: which one it is, the card decides. Browsers check
 * `form-action` against every redirect after the form, too.
 */
export const issuerPolicy: readonly string[] = ['frame-src https: http:', 'form-action https: http:']
