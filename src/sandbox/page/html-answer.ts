import { createHash } from 'node:crypto'
import type { Answer, Incoming } from '../core/provider-messages.ts'
import { type CheckoutPage, checkoutPage, resultScript } from './checkout.page.ts'
import { style } from './style.ts'

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * The targets of forms: this server, which redirects the browser to the merchant's page, whose origin only
 * Railyard knows. Browsers check every redirect of a form against `form-action`.
 */
const formAction = "form-action 'self' https: http:"

const contentSecurityPolicy = (scripts: string, ancestors: string) =>
  [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    ...(scripts && [`script-src ${scripts}`]),
    formAction,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
  ].join('; ')

/**
 * A page for a buyer's browser, with the strictest headers under which it works. `script` is the page's
 * script; `ancestors`: the pages that may show it in a frame.
 */
export const htmlAnswer = (
  status: number,
  body: string,
  script?: string,
  ancestors: "'none'" | '*' = "'none'",
): Answer => ({
  status,
  body,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(script === undefined ? '' : hash(script), ancestors),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
})

export const pageAnswer = (page: CheckoutPage): Answer =>
  htmlAnswer(
    page.state === 'unknown' ? 404 : 200,
    checkoutPage(page),
    page.popup && page.state !== 'open' ? resultScript : undefined,
  )

/** Whether the client is a browser that wants a page; other clients get JSON. */
export const wantsPage = ({ headers }: Pick<Incoming, 'headers'>): boolean =>
  (headers.accept ?? '').includes('text/html')

/** A script that merchants' pages load: the real providers' SDK. */
export const scriptAnswer = (script: string): Answer => ({
  status: 200,
  body: script,
  headers: {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  },
})
