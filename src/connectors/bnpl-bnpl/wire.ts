import { hasLiveCredentialsInSandbox, LIVE_CREDENTIALS_MESSAGE } from '../account-environment.ts'
import type { Outcome, ServiceCall } from '../connector.ts'
import type { HttpAnswer, HttpRequest } from '../http-message.ts'

/** A request to the provider. `key` makes it take effect once, however often it is sent. */
export interface BnplRequest {
  method: HttpRequest['method']
  path: string
  body?: unknown
  key?: string
}

/** How a service's requests are sent. */
export interface Wire {
  /** The full address of a path; undefined where the service names no environment of this provider. */
  url(call: ServiceCall, path: string): string | undefined
  send(call: ServiceCall, asked: BnplRequest): Promise<HttpAnswer>
}

const hosts = new Map([
  ['sandbox/eu', 'https://api.playground.klarna.com'],
  ['sandbox/na', 'https://api-na.playground.klarna.com'],
  ['sandbox/oc', 'https://api-oc.playground.klarna.com'],
  ['production/eu', 'https://api.klarna.com'],
  ['production/na', 'https://api-na.klarna.com'],
  ['production/oc', 'https://api-oc.klarna.com'],
])

export const authorizationOf = ({ service: { fields } }: ServiceCall): string =>
  `Basic ${Buffer.from(`${fields['username'] ?? ''}:${fields['password'] ?? ''}`).toString('base64')}`

const KEY_HEADER = 'Klarna-Idempotency-Key'

/** Where a service's requests go, by its environment and region. `simulatorUrl` ends with the simulator's own name. */
function baseUrl({ service }: ServiceCall, simulatorUrl: string | undefined): string | undefined {
  const { environment = '', region = 'eu' } = service.fields
  if (hasLiveCredentialsInSandbox(service.fields, simulatorUrl !== undefined)) return undefined
  if (environment === 'simulator') return simulatorUrl && `${simulatorUrl}/${service.id}`
  return hosts.get(`${environment}/${region}`)
}

/**
 * Sends with Basic auth. An answer to another request counts as lost: captures and refusals name no request of their own, so where the
 * provider repeats the key, it must be ours.
 */
export function wire(simulatorUrl: string | undefined): Wire {
  const url: Wire['url'] = (call, path) => {
    const base = baseUrl(call, simulatorUrl)
    return base && `${base}${path}`
  }
  const noAddress = ({ service }: ServiceCall) =>
    hasLiveCredentialsInSandbox(service.fields, simulatorUrl !== undefined)
      ? LIVE_CREDENTIALS_MESSAGE
      : 'the service names no environment of this provider'
  return {
    url,
    async send(call, { method, path, body, key }) {
      const address = url(call, path)
      if (!address) return { lost: true, sent: false, reason: noAddress(call) }
      const headers = { authorization: authorizationOf(call), ...(key !== undefined && { [KEY_HEADER]: key }) }
      const answer = await call.http({ method, url: address, headers, ...(body !== undefined && { body }) })
      const repeated = answer.lost ? undefined : answer.headers[KEY_HEADER.toLowerCase()]
      return repeated === undefined || repeated === key ? answer : { lost: true, sent: true, reason: 'the answer belongs to another request' }
    },
  }
}

export type Answered = Extract<HttpAnswer, { lost: false }>
type Lost = Extract<HttpAnswer, { lost: true }>

/** No answer: harmless only where the request never left us. */
export const lostOutcome = ({ sent, reason }: Lost): Outcome =>
  sent
    ? unknownOutcome(reason)
    : { status: 'failed', code: 'service_network_error', facts: { raw_response_description: reason }, references: {}, unprocessed: true }

export const unknownOutcome = (reason: string): Outcome => ({ status: 'unknown', reason })

export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** An amount in minor units, as the provider states it. */
export const money = (value: unknown): number | null => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null)

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A segment of a path. What is not well-formed text is no id of the provider's, and must not make us throw. */
export const segment = (value: string): string => encodeURIComponent(value.toWellFormed())
