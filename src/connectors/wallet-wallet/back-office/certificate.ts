import { X509Certificate } from 'node:crypto'
import type { ServiceCall } from '../../contract/call.ts'
import { isSimulated } from '../environment.ts'

/** The hosts at which PayPal publishes the certificates of its notifications, by the account's environment. */
const certificateHosts: Readonly<Record<string, readonly string[]>> = {
  production: ['api.paypal.com', 'api-m.paypal.com'],
  sandbox: ['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'],
}

const certificatePath = /^\/v1\/notifications\/certs\/[\w-]{1,200}$/

/**
 * Whether a certificate may be fetched from this URL: a signature proves nothing if its sender also chooses the
 * key, and a request to another host could reach the operator's own network. The URL must be written as the
 * standard writes it, so that the HTTP client cannot read another host in it. `base`: the simulator's URL.
 */
export function isTrustedCertificateUrl(
  text: string,
  base: string,
  fields: Readonly<Record<string, string>>,
): boolean {
  const url = URL.parse(text)
  if (url?.href !== text) return false
  if (isSimulated(fields)) return url.origin === new URL(base).origin
  const { hostname, pathname } = url
  return (
    text === `https://${hostname}${pathname}` &&
    certificatePath.test(pathname) &&
    (certificateHosts[fields['environment'] ?? ''] ?? []).includes(hostname)
  )
}

/** PayPal has a few certificates at a time; more URLs than this come from a sender that invents them. */
const MAX_CERTIFICATES = 16
const MAX_CERTIFICATE_LENGTH = 16 * 1024
/** A certificate that PayPal withdraws counts no longer than this. */
const CACHE_MS = 24 * 3_600_000

/** Fetches certificates, and caches them by their URL. */
export function certificateCache(clock: { now(): number }) {
  const cache = new Map<string, { certificate: X509Certificate; until: number }>()

  /** Undefined: it cannot be fetched now. The HTTP client follows no redirects, and limits time and size. */
  return async (call: ServiceCall, url: string): Promise<X509Certificate | undefined> => {
    const cached = cache.get(url)
    if (cached && cached.until > clock.now()) return cached.certificate
    const answer = await call.http({ method: 'GET', url, text: true })
    if (answer.lost || answer.status !== 200) return undefined
    const certificate = parsed(answer.body['text'])
    if (!certificate) return undefined
    if (cache.size >= MAX_CERTIFICATES) cache.clear()
    cache.set(url, { certificate, until: clock.now() + CACHE_MS })
    return certificate
  }
}

function parsed(pem: unknown): X509Certificate | undefined {
  if (typeof pem !== 'string' || pem.length > MAX_CERTIFICATE_LENGTH) return undefined
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}
