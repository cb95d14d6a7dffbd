import type { ServiceForCall } from '../contract/call.ts'

/** What a connector of this folder is made with. */
export interface CheckoutOptions {
  /** Replaces Checkout.com's hosts, for fakes and proxies, e.g. `http://127.0.0.1:9090`. */
  baseUrl?: string
  clock: { now(): number }
  /** A sandbox takes credentials of the provider's test system only. */
  isSandbox: boolean
}

/** The first part of the host that newer accounts have of their own. */
const prefixPattern = /^[0-9a-z]{1,63}$/i

/** Secret keys of the test system. All others are live, or of the older platform, which has another API. */
const testKey = /^sk_sbox_/

/** The URL of the API for a service; undefined: the service is not configured for its environment. */
export function urlOf(
  { baseUrl, isSandbox }: CheckoutOptions,
  { fields }: Pick<ServiceForCall, 'fields'>,
): string | undefined {
  const isLive = fields['environment'] === 'production'
  if (isSandbox && (isLive || !testKey.test(fields['secret_key'] ?? ''))) return undefined
  if (baseUrl !== undefined) return baseUrl
  const host = isLive ? 'api.checkout.com' : 'api.sandbox.checkout.com'
  const prefix = fields['url_prefix'] ?? ''
  if (prefix === '') return `https://${host}`
  return prefixPattern.test(prefix) ? `https://${prefix}.${host}` : undefined
}
