import fc from 'fast-check'
import { mutated, type Operation, type valueFor } from '../support/checks/schema-values.ts'
import { spellingsOf } from '../support/checks/spellings.ts'
import { malformedJson } from './malformed-json.ts'

export interface Request {
  operation: Operation
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | undefined
  /** It matches the schema, so the API document must describe its answer. */
  isShaped: boolean
}

const text = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))
const queryText = (value: unknown) => encodeURIComponent(text(value))
const headerText = (value: unknown) =>
  text(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, 2_000)

const WRONG_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Headers that operations do not declare and servers read all the same. */
const oddHeaders: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-encoding': 'gzip' },
  { 'x-svc-merchant-account-id': '../default' },
  { 'x-svc-merchant-account-id': '' },
  { 'idempotency-key': 'k'.repeat(256) },
  { 'idempotency-key': '' },
  { 'if-none-match': '*', 'if-modified-since': 'never', range: 'bytes=0-' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-forwarded-for': '127.0.0.1, "</script>', forwarded: 'for=[::1]' },
  { 'x-request-id': "' or 1=1 --" },
  { prefer: 'resource=__proto__' },
  { accept: 'text/csv', 'accept-language': '*;q=1e400' },
  { cookie: '__Host-railyard=x; railyard=x; =; ;' },
  { host: '_' },
  { expect: '200-ok' },
]

/** The caller's credentials and the share of oddities. */
export interface Approach {
  token: string
  account: string
  /** One in this many requests has an oddity beside its body; 0: none. */
  oddities: number
}

/** Requests to an operation that match its schema, most of them then broken in one place. */
export function requestsTo(
  operation: Operation,
  of: ReturnType<typeof valueFor>,
  { token, account, oddities }: Approach,
): fc.Arbitrary<Request> {
  const parameters = operation.parameters.map(({ name, schema, required = false, in: place }) =>
    fc.record({
      name: fc.constant(name),
      place: fc.constant(place),
      fitting: of(schema, name),
      hostile: fc.option(
        fc.nat(10_000).map((turn) => mutated(null, [turn])),
        { freq: 4, nil: undefined },
      ),
      present:
        required || place === 'path'
          ? fc.constant(true)
          : fc.integer({ min: 0, max: operation.parameters.length }).map((odds) => odds < 3),
    }),
  )
  const choices = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 5 })
  const body = operation.body
    ? fc.tuple(of(operation.body, ''), choices).map(([value, places]) => ({
        fitting: JSON.stringify(value),
        hostile: JSON.stringify(mutated(value, places)),
      }))
    : fc.constant(undefined)
  const oddity =
    oddities === 0
      ? fc.constant(undefined)
      : fc.option(fc.tuple(fc.nat(3), fc.nat(10_000)), { freq: oddities - 1, nil: undefined })
  return fc.tuple(fc.tuple(...parameters), body, oddity, fc.nat(3)).map(([given, bodies, odd, odds]) => {
    const isShaped = odds === 0
    const sent = isShaped ? bodies?.fitting : bodies?.hostile
    const present = given
      .filter(({ present }) => present)
      .map(({ fitting, hostile, ...rest }) => ({ ...rest, value: isShaped ? fitting : (hostile ?? fitting) }))
    const inPlace = (place: string) => present.filter((each) => each.place === place)
    const path = inPlace('path').reduce(
      (url, { name, value }) => url.replace(`{${name}}`, queryText(value) || '%20'),
      operation.path,
    )
    const query = inPlace('query').flatMap(({ name, value }) =>
      [value].flat().map((each) => `${name}=${queryText(each)}`),
    )
    const headers = Object.fromEntries(inPlace('header').map(({ name, value }) => [name, headerText(value)]))
    const request: Request = {
      operation,
      method: operation.method,
      path: `${path}?${query.join('&')}`,
      headers: {
        ...headers,
        'x-svc-merchant-account-id': account,
        authorization: `Bearer ${token}`,
        ...(sent !== undefined && { 'content-type': 'application/json' }),
      },
      // fetch sends no body with GET
      body: operation.method === 'GET' ? undefined : sent,
      isShaped,
    }
    return odd && !isShaped ? withOddity(request, odd) : request
  })
}

/**
 * Adds an oddity that no schema can generate: another method, a proxy's headers, an undeclared query, or a
 * body that JSON.stringify cannot make.
 */
function withOddity(request: Request, [kind, turn]: [number, number]): Request {
  const odd = { ...request, isShaped: false }
  if (kind === 0 && typeof request.body === 'string')
    return { ...odd, body: malformedJson(request.body, turn) }
  if (kind === 1) return { ...odd, headers: { ...request.headers, ...oddHeaders[turn % oddHeaders.length] } }
  if (kind === 3) return { ...odd, path: respelled(request.path, turn) }
  if (turn % 2 === 0)
    return {
      ...odd,
      path: `${request.path}&__proto__[x]=1&constructor=%00&limit=1e400&limit=-0&%ff=%c0%80&cursor=${'A'.repeat(turn % 4_000)}`,
    }
  const method = WRONG_METHODS[turn % WRONG_METHODS.length] ?? 'PATCH'
  return { ...odd, method, ...(['GET', 'HEAD'].includes(method) && { body: undefined }) }
}

/** The same path in another spelling, which may or may not lead to the operation. */
function respelled(url: string, seed: number): string {
  const [path = '', query] = url.split('?')
  const [spelled = path] = fc.sample(spellingsOf(path), { numRuns: 1, seed })
  return spelled.includes('?') || spelled.includes('#') ? spelled : `${spelled}?${query ?? ''}`
}
