import type { FastifyRequest } from 'fastify'
import { isUuid } from '../values/uuid.ts'
import { fillTemplate } from './request-path.ts'

/** Path parameters that are credentials: of payment links, invitations, sign-in links, notifications and return links. */
const secretParameters = new Set(['token', 'proof'])

/**
 * How paths with such parameters begin. In a path that no route has, the rest may be the credential of a
 * mistyped one.
 */
const secretPath =
  /\/(pay|invitations|sign-in|notifications|anti-fraud-notifications|approvals|browser-reports)\/.*/is

/**
 * Query parameters that are credentials (session exchange, completion, files of reports), or by which clients
 * search for people.
 */
const hiddenParameters = new Set([
  'token',
  'authorization_token',
  'signature',
  'search',
  'buyer_search',
  'buyer_email_address',
  'buyer_external_identifier',
  'ip_address',
])

const HIDDEN = '***'

/**
 * Digits that could be a card number, anywhere in a text. UUIDs match first, so that their groups of digits
 * are not taken for one.
 */
const cardLikeDigits =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d(?:(?:[ +._-]|%20|%2D|%2E)?\d){12,18}/gi

/** A text as a log may hold it: digits that could be a card number are hidden. */
export const withoutCardNumbers = (text: string): string =>
  text.replace(cardLikeDigits, (found) => (isUuid(found) ? found : HIDDEN))

/**
 * The URL of a request as a log may hold it: credentials, search terms for people, and digits that could be a
 * card number are hidden, in every spelling. A path that has a route is written as `canonicalPath` writes it;
 * parts that cannot be decoded are hidden.
 */
export const loggedUrl = (request: Pick<FastifyRequest, 'params' | 'routeOptions' | 'url'>): string =>
  redactUrl(request.url, routePath(request))

/** As `loggedUrl`, for a URL without a route. `loggablePath` takes the place of the URL's path. */
export function redactUrl(url: string, loggablePath?: string): string {
  const [path, query] = splitUrl(url)
  const redacted = query
    ?.split(/[&?#;]/)
    .map(redactParameter)
    .join('&')
  return withoutCardNumbers(
    `${loggablePath ?? redactUnknownPath(path)}${redacted === undefined ? '' : `?${redacted}`}`,
  )
}

function routePath({
  routeOptions: { url: template },
  params,
}: Pick<FastifyRequest, 'params' | 'routeOptions'>): string | undefined {
  if (template === undefined || template.includes('*')) return undefined
  const values = Object.entries(params as Record<string, string>)
  const isShifted =
    values.some(([name]) => secretParameters.has(name)) && !values.every(([, value]) => isLoggable(value))
  return fillTemplate(template, params, (value, name) =>
    isShifted || secretParameters.has(name) || !isLoggable(value)
      ? HIDDEN
      : withoutCardNumbers(decodeFully(value) ?? ''),
  )
}

/**
 * Whether a path parameter can be an id or a word. In a path with a credential, an escaped slash or an empty
 * part moves the credential into the place of another parameter: then all are hidden.
 */
const isLoggable = (value: string): boolean => /^[\w.-]+$/.test(decodeFully(value) ?? '')

function redactUnknownPath(path: string): string {
  const decoded = decodeFully(path)
  if (decoded === undefined) return `/${HIDDEN}`
  return encodeURI(withoutCardNumbers(decoded).replace(secretPath, `/$1/${HIDDEN}`))
}

function redactParameter(parameter: string): string {
  const end = parameter.indexOf('=')
  if (end < 0) return decodeFully(parameter) === parameter ? parameter : HIDDEN
  const [name, value] = [decodedText(parameter.slice(0, end)), decodedText(parameter.slice(end + 1))]
  if (name === undefined || withoutCardNumbers(name) !== name) return `${HIDDEN}=${HIDDEN}`
  const isHidden =
    value === undefined ||
    hiddenParameters.has(name.replace(/\[\]$/, '').toLowerCase()) ||
    withoutCardNumbers(value) !== value
  return isHidden ? `${parameter.slice(0, end)}=${HIDDEN}` : parameter
}

/**
 * Divides a URL as the router does: of an absolute URL it takes the path, and `#` begins a query as `?` does.
 */
function splitUrl(url: string): [path: string, query: string | undefined] {
  const relative = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const end = relative.search(/[?#]/)
  return end < 0 ? [relative, undefined] : [relative.slice(0, end), relative.slice(end + 1)]
}

/** In a query `+` means a blank. */
const decodedText = (text: string) => decodeFully(text.replaceAll('+', ' '))

const MAX_ROUNDS = 4

/**
 * Decodes until no escape is left, since a text that was escaped twice can still be read. Undefined: it
 * cannot be decoded, or not in `MAX_ROUNDS` rounds.
 */
function decodeFully(text: string): string | undefined {
  let decoded = text
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    if (!decoded.includes('%')) return decoded
    try {
      decoded = decodeURIComponent(decoded)
    } catch {
      return undefined
    }
  }
  return undefined
}
