import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { isAbsolute, normalize } from 'node:path'
import { hostUrls } from '../database/postgres/hosts.ts'
import { type Network, readNetwork } from '../outgoing/network.ts'

// Readers of settings: from the text of an environment variable to its value. What they throw completes the
// sentence `<VARIABLE> must be …`.

const refuse = (expectation: string): never => {
  throw new TypeError(expectation)
}

export const text = (value: string) => value

/** NaN unless it is digits: a blank would be 0, which switches a limit off. */
const wholeNumberOf = (value: string) => (/^\d+$/.test(value) ? Number(value) : Number.NaN)

export const wholeNumber = (minimum: number, maximum: number) => (value: string) => {
  const number = wholeNumberOf(value)
  return number >= minimum && number <= maximum
    ? number
    : refuse(`a whole number from ${minimum} to ${maximum}`)
}

/**
 * 14: payment services' reports of the last 400 days are read (`operations/retention.ts`), and every authorization is
 * over by then.
 */
const MIN_RETENTION_MONTHS = 14
const MAX_RETENTION_MONTHS = 1_200

export function monthsOfRetention(value: string): number {
  const months = wholeNumberOf(value)
  const isKept = months === 0 || (months >= MIN_RETENTION_MONTHS && months <= MAX_RETENTION_MONTHS)
  return isKept
    ? months
    : refuse(`a whole number from ${MIN_RETENTION_MONTHS} to ${MAX_RETENTION_MONTHS}, or 0`)
}

/** A folder that does not depend on where a process was started. */
export const absoluteFolder = (value: string) =>
  isAbsolute(value) && !value.includes('\0')
    ? normalize(value)
    : refuse('an absolute path, such as /srv/archive')

export const oneOf =
  <const W extends readonly string[]>(...words: W) =>
  (value: string): W[number] =>
    words.find((word) => word === value) ?? refuse(`one of ${words.join(', ')}`)

/** A URL without the slashes at its end. */
export const url = (protocols: string[]) => (value: string) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)
    ? value.replace(/\/+$/, '')
    : refuse(`a URL that starts with ${protocols.join('// or ')}//`)

/** What `target_session_attrs` may say: Railyard uses the host that takes writes in any case. */
const sessionAttributes = [null, 'any', 'read-write', 'primary']

/** One host or several, separated by commas. */
export const postgresUrl = (value: string) => {
  const hosts = hostUrls(value)
  if (/^postgres(ql)?:\/\//.test(value) && !hosts.every((host) => URL.canParse(host)))
    refuse(
      'a URL with a number as its port, and with / ? # and % of the password percent-encoded (%2F, %3F, %23, %25)',
    )
  const urls = hosts.map(url(['postgres:', 'postgresql:']))
  const attributes = new URL(urls[0] ?? '').searchParams.get('target_session_attrs')
  if (!sessionAttributes.includes(attributes))
    refuse('a URL with target_session_attrs=read-write: Railyard writes')
  return value.replace(/\/+$/, '')
}

/** URLs of one host each, separated by commas or white space. */
export function postgresUrls(value: string): readonly string[] {
  const urls = value
    .trim()
    .split(/[\s,]+/)
    .map((each, index) =>
      isReplicaUrl(each)
        ? each.replace(/\/+$/, '')
        : refuse(
            `a list of URLs that start with postgres:// or postgresql://, one host each, separated by commas or spaces; entry ${index + 1} is none`,
          ),
    )
  const servers = urls.map(serverOf)
  const again = servers.findIndex((server, index) => servers.indexOf(server) < index)
  if (again >= 0)
    refuse(`a list that names each server once; entry ${again + 1} is the server of an entry before it`)
  return urls
}

/** Host and port: two users or databases of one server make it no second one. */
function serverOf(postgresUrl: string): string {
  const { hostname, port } = new URL(postgresUrl)
  return `${hostname.toLowerCase()}:${port || '5432'}`
}

const isReplicaUrl = (value: string): boolean =>
  URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol)

/** Links are this address with a path appended, and buyers see them. */
export const publicAddress = (value: string) => {
  const address = url(['http:', 'https:'])(value)
  const { username, password, search, hash } = new URL(address)
  return username || password || search || hash
    ? refuse('a URL without a name, a password, a query or a fragment')
    : address
}

/** An origin, such as `https://pay.example`: a URL without a path. */
export const webOrigin = (value: string) => {
  const address = publicAddress(value)
  return new URL(address).pathname === '/' ? new URL(address).origin : refuse('an origin, without a path')
}

/** Strict: a decoder skips characters of a mistyped key, and the rest would be another key. */
export const isKey256 = (text: string): boolean => /^[A-Za-z0-9+/]{43}=$/.test(text)

export const keys256 = (value: string) =>
  value.split(',').every(isKey256)
    ? value
    : refuse(
        '32 bytes in base64 (openssl rand -base64 32), or several such keys separated by commas, the newest first',
      )

/** A bearer token: characters that a header can carry. */
export const credential = (value: string) =>
  /^[\x21-\x7e]+$/.test(value) ? value : refuse('a token of ASCII characters without spaces')

export const gatewayId = (value: string) =>
  /^[a-z0-9-]{1,50}$/.test(value) ? value : refuse('a name of lower-case letters, digits and hyphens')

export const networks = (value: string): readonly Network[] =>
  value
    .split(',')
    .map(
      (each, index) =>
        readNetwork(each.trim()) ??
        refuse(
          `a list of networks such as 10.20.0.0/16,fd12:3456::/48, without bits beyond their prefix; entry ${index + 1} is none`,
        ),
    )

/** Names separated by commas; an empty one is refused. */
export const names = (value: string): readonly string[] =>
  value
    .split(',')
    .map(
      (each, index) =>
        each.trim() || refuse(`a list of names, separated by commas; entry ${index + 1} is empty`),
    )

/** `<name>=<URL>` pairs separated by commas: each name once, and one of `names`. */
export const urlsByName =
  <const N extends readonly string[]>(...names: N) =>
  (value: string): Readonly<Partial<Record<N[number], string>>> => {
    const urls: Partial<Record<N[number], string>> = {}
    for (const [index, pair] of value.split(',').entries()) {
      const [, given = '', address = ''] = /^([^=]*)=(.*)$/.exec(pair.trim()) ?? []
      const name: N[number] | undefined = names.find((each) => each === given)
      if (name === undefined || urls[name] !== undefined)
        refuse(
          `a list of names with a URL each (name=URL, separated by commas), of ${names.join(', ')} each at most once; entry ${index + 1} is none`,
        )
      else urls[name] = publicAddress(address)
    }
    return urls
  }

const isPublicKey = ({ kty, crv, d }: JsonWebKey) =>
  d === undefined && ((kty === 'OKP' && crv === 'Ed25519') || (kty === 'EC' && crv === 'P-256'))

/** A JWK set (RFC 7517) with public keys for Ed25519 or ES256. */
export const publicKeys = (value: string): readonly JsonWebKey[] => {
  const expectation = 'a JWK set, {"keys": […]}, of public keys of the type OKP with Ed25519 or EC with P-256'
  try {
    const { keys }: { keys: JsonWebKey[] } = JSON.parse(value)
    for (const key of keys) createPublicKey({ key, format: 'jwk' })
    return keys.length > 0 && keys.every(isPublicKey) ? keys : refuse(expectation)
  } catch {
    return refuse(expectation)
  }
}
