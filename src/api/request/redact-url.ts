import type { FastifyRequest } from 'fastify'
import { fillTemplate } from './request-path.ts'

/** Parts of paths that are credentials: those of payment links, invitations, notifications and return links. */
const secretParameters = new Set(['token', 'proof'])

/** How paths with such parts begin. What follows in a path that no route has may be the credential of one that was mistyped. */
const secretPath = /\/(pay|invitations|notifications|anti-fraud-notifications|approvals)\/.*/is

/** Query parameters that are credentials (session exchange, completion and the files of reports carry them, FIGURES §1.4), or by which people are looked for. */
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

/** Digits that could be a card's, wherever a client put them; ids are passed over first, since their groups of digits could be taken for one. */
const cardLikeDigits = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d(?:(?:[ +._-]|%20|%2D|%2E)?\d){12,18}/gi
const isUuid = (text: string) => text.length === 36 && text[8] === '-'

/** A text of a stranger's as a log may hold it: what could be a card number is taken out. */
export const withoutCardNumbers = (text: string): string => text.replace(cardLikeDigits, (found) => (isUuid(found) ? found : HIDDEN))

/**
 * The URL of a request as a log may hold it: credentials, what people are looked for by, and what could be a card number are taken out, however they are spelled. A path that has a
 * route is written as `canonicalPath` writes it; what cannot be decoded is left out.
 */
export const loggedUrl = (request: Pick<FastifyRequest, 'params' | 'routeOptions' | 'url'>): string => redactUrl(request.url, routePath(request))

/** The same where no route is known; `known` is the path that stands for it. */
export function redactUrl(url: string, known?: string): string {
  const [path, query] = splitUrl(url)
  const redacted = query
    ?.split(/[&?#;]/)
    .map(redactParameter)
    .join('&')
  return withoutCardNumbers(`${known ?? redactUnknownPath(path)}${redacted === undefined ? '' : `?${redacted}`}`)
}

function routePath({ routeOptions: { url: template }, params }: Pick<FastifyRequest, 'params' | 'routeOptions'>): string | undefined {
  if (template === undefined || template.includes('*')) return undefined
  return fillTemplate(template, params, (value, name) => {
    const decoded = decodeFully(value) ?? ''
    return !secretParameters.has(name) && idLike.test(decoded) ? withoutCardNumbers(decoded) : HIDDEN
  })
}

/** Ids, and words of a list. A part of a path that is neither may hold the credential after an escaped slash. */
const idLike = /^[\w.-]+$/

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
  const isHidden = value === undefined || hiddenParameters.has(name.replace(/\[\]$/, '').toLowerCase()) || withoutCardNumbers(value) !== value
  return isHidden ? `${parameter.slice(0, end)}=${HIDDEN}` : parameter
}

/** As the router divides a URL: an absolute one is taken for its path, and `#` begins a query as `?` does. */
function splitUrl(url: string): [path: string, query: string | undefined] {
  const relative = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const end = relative.search(/[?#]/)
  return end < 0 ? [relative, undefined] : [relative.slice(0, end), relative.slice(end + 1)]
}

/** In a query `+` means a blank. */
const decodedText = (text: string) => decodeFully(text.replaceAll('+', ' '))

const MAX_ROUNDS = 4

/** Decoded until nothing is left to decode: also what was escaped twice is read by people. Undefined: it cannot be decoded, or only in very many rounds. */
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
