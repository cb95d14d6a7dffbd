import { isIP } from 'node:net'
import { type AllowedDestinations, isAllowedAddress, isLocalAddress } from './address.ts'

const MAX_URL_LENGTH = 2_048

/**
 * Characters that the URL parser drops or changes: a reader of the text would see another host than the
 * parser.
 */
const unseen = /[\p{C}\p{Z}\\]/u

/** Ports of other protocols, where a request could pass for a command (Fetch Standard, "bad port"). */
const blockedPorts = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 ' +
    '512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 ' +
    '6668 6669 6679 6697 10080'
  ).split(' '),
)

const isLocalhost = (name: string) => /(^|\.)localhost$/.test(name)

/**
 * Names that never lead to the internet (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`), and those of one
 * label, which only a search list completes.
 */
const isLocalName = (name: string) =>
  isLocalhost(name) || /\.(local|test|internal|localdomain|home\.arpa)$/.test(name) || !name.includes('.')

/** Without the brackets of an IPv6 address and the dot of a whole name. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

const isLoopback = (host: string) =>
  isLocalhost(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Tells a merchant what is wrong with a URL to which requests are to go; undefined: nothing. It must be
 * https, or in the sandbox http to this machine (semantics §15.1). The text does not repeat the URL, which
 * may contain a secret. Each connection checks the addresses of the host (`connection.ts`).
 */
export function urlProblem(allowed: AllowedDestinations, text: string): string | undefined {
  const inSandbox = allowed.environment === 'sandbox'
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (unseen.test(text)) return 'must not contain spaces, control characters or backslashes'
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (!url) return 'must be an absolute https URL such as https://shop.example/webhooks'
  const host = bareHost(url)
  if (url.protocol !== 'https:' && !(inSandbox && isLoopback(host)))
    return inSandbox ? 'must be an https URL; http is for localhost' : 'must be an https URL'
  // an empty user name leaves no trace in the parsed URL
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not have a fragment (#)'
  if (blockedPorts.has(url.port)) return `must not use port ${url.port}, which belongs to another protocol`
  return hostProblem(allowed, host)
}

function hostProblem(allowed: AllowedDestinations, host: string): string | undefined {
  if (isIP(host))
    return isAllowedAddress(allowed, host) ? undefined : 'must not lead to an address outside of the internet'
  if (host.length > 253 || host.split('.').some((label) => label === '' || label.length > 63))
    return 'must name a host'
  // if the operator allows private networks, their names are allowed, too: the address decides
  const mayBeLocal = allowed.environment === 'sandbox' || allowed.allowedNetworks.length > 0
  return mayBeLocal || !isLocalName(host)
    ? undefined
    : 'must name a host of the internet, which localhost, db.internal and the like are not'
}

/**
 * Whether browsers may be sent to a page: over https, or over http to this machine (semantics §0.10, API
 * §4.11). In the sandbox http may also lead to a developer's own network, so that a telephone can try out a
 * shop.
 */
export function isPageUrl(text: string, environment: AllowedDestinations['environment']): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const host = bareHost(url)
  const isNear = isIP(host) ? isLocalAddress(host) : isLocalName(host)
  return url.protocol === 'https:' || isLoopback(host) || (environment === 'sandbox' && isNear)
}

/** The message for a URL that `isPageUrl` refuses. */
export const PAGE_URL_PROBLEM =
  'must be an absolute https URL; http is for localhost, and in the sandbox for private networks'

/**
 * A page, or the `data:` URL by which an app's web view recognizes that its buyer is back (semantics §1.7).
 */
export const isRedirectUrl = (text: string, environment: AllowedDestinations['environment']): boolean =>
  /^data:application\/json;base64,[\w+/=-]*$/.test(text) || isPageUrl(text, environment)
