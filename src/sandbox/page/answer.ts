import { createHash } from 'node:crypto'
import type { Answer } from '../provider.ts'
import { type CheckoutPage, checkoutPage, reportScript } from './checkout.page.ts'
import { style } from './style.ts'

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Where forms lead: here, and from here the browser is sent on to the merchant's page, which only Railyard knows the origin of. Browsers hold
 * every step of that way against `form-action`.
 */
const formAction = "form-action 'self' https: http:"

const policy = (scripts: string) =>
  [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    ...(scripts && [`script-src ${scripts}`]),
    formAction,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

const policies = { still: policy(''), reporting: policy(hash(reportScript)) }

/** A page for a buyer's browser, with the strictest headers that it works under. */
export const pageAnswer = (page: CheckoutPage): Answer => ({
  status: page.state === 'unknown' ? 404 : 200,
  body: checkoutPage(page),
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.popup && page.state !== 'open' ? policies.reporting : policies.still,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
})

/** A script that merchants' pages load: what the real providers call their SDK. */
export const scriptAnswer = (script: string): Answer => ({
  status: 200,
  body: script,
  headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
})
