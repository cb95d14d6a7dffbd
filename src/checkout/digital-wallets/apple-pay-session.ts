import { randomBytes, type X509Certificate } from 'node:crypto'
import { Agent, request } from 'undici'
import { badRequest, gatewayTimeout } from '../../api/errors.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import type { World } from '../../world.ts'
import { sandboxMerchantIdentifier } from './apple-pay.ts'
import { activeCertificates } from './apple-pay-certificate.store.ts'
import { merchantIdentifier } from './apple-pay-certificate.ts'
import { findWalletOfProvider } from './digital-wallet.store.ts'
import { normalizeDomain } from './digital-wallet.ts'

/** The body of a request to Apple (Apple Pay on the Web, Requesting an Apple Pay payment session). */
interface SessionRequest {
  merchantIdentifier: string
  displayName: string
  initiative: 'web'
  /** The shop's domain. */
  initiativeContext: string
}

/** Whether a URL is Apple's. It comes from a browser, and only Apple may get the merchant's certificate. */
export function isApplePayUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url?.protocol === 'https:' &&
    /(^|\.)apple\.com$/.test(url.hostname) &&
    url.port === '' &&
    url.username === '' &&
    url.password === ''
  )
}

/**
 * Asks Apple for the session that a page passes to `completeMerchantValidation`. Throws 400 if Apple Pay is
 * not set up for the domain.
 */
export async function applePaySession(
  world: World,
  account: string,
  validationUrl: string,
  domain: string,
): Promise<Record<string, unknown>> {
  const wallet = await findWalletOfProvider(world, account, 'apple')
  if (!wallet) throw badRequest('Apple Pay is not set up: POST /digital-wallets')
  throwProblems({
    ...(!isApplePayUrl(validationUrl) && { '/validation_url': 'must be an https URL of apple.com' }),
    ...(!wallet.domain_names.includes(normalizeDomain(domain)) && {
      '/domain_name': 'is not a domain of the Apple wallet',
    }),
  })
  const displayName = wallet.merchant_display_name || wallet.merchant_name
  const terms = { displayName, initiative: 'web' as const, initiativeContext: normalizeDomain(domain) }
  if (world.settings.environment === 'sandbox')
    return sandboxSession(world, { ...terms, merchantIdentifier: sandboxMerchantIdentifier(account) })

  const [identity] = await activeCertificates(world, account, wallet.id, 'merchant-identity')
  const name = identity && merchantIdentifier(identity.certificate)
  if (!identity || !name)
    throw badRequest('Apple Pay is not set up: the wallet has no active merchant identity certificate')
  const key = identity.key.export({ format: 'pem', type: 'pkcs8' }).toString()
  return requestApplePaySession(
    validationUrl,
    { certificate: identity.certificate, key },
    { ...terms, merchantIdentifier: name },
    world.settings.providerTimeout,
  )
}

export interface Identity {
  certificate: X509Certificate
  /** PEM. */
  key: string
}

const MAX_BYTES = 256 * 1024

/**
 * Identifies the merchant by its certificate. `ca` is for tests: the authority of the other side's
 * certificate; absent: the usual authorities.
 */
export async function requestApplePaySession(
  url: string,
  { certificate, key }: Identity,
  body: SessionRequest,
  timeout: number,
  ca?: string,
) {
  const agent = new Agent({
    connect: { cert: certificate.toString(), key, timeout, ...(ca !== undefined && { ca }) },
    maxResponseSize: MAX_BYTES,
  })
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    }).catch(() => {
      throw gatewayTimeout()
    })
    const session: unknown = await answer.body.json().catch(() => undefined)
    if (answer.statusCode !== 200 || typeof session !== 'object' || session === null)
      throw badRequest('Apple refused the session')
    return { ...session }
  } finally {
    void agent.destroy()
  }
}

const SESSION_MS = 5 * 60_000

/** Has the form of Apple's session: pages pass it on without reading it. */
function sandboxSession(
  { clock }: World,
  { merchantIdentifier: name, displayName, initiativeContext }: SessionRequest,
) {
  const now = clock.now()
  return {
    epochTimestamp: now,
    expiresAt: now + SESSION_MS,
    merchantSessionIdentifier: `SSH${randomBytes(32).toString('hex').toUpperCase()}`,
    nonce: randomBytes(4).toString('hex'),
    merchantIdentifier: name,
    domainName: initiativeContext,
    displayName,
    signature: randomBytes(64).toString('hex'),
  }
}
