import type { ServiceCall } from '../contract/call.ts'
import type { Outcome } from '../contract/outcome.ts'
import { unknownOutcome, unprocessedOutcome } from '../contract/outcome.ts'
import { hasLiveCredentialsInSandbox, LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'

/** A request to the provider. Under one `key` it takes effect once, however often it is sent. */
export interface BnplRequest {
  method: HttpRequest['method']
  path: string
  body?: unknown
  key?: string
}

/** How a service's requests are sent. */
export interface Wire {
  /** The URL of a path; undefined if the service has no valid environment. */
  url(call: ServiceCall, path: string): string | undefined
  send(call: ServiceCall, request: BnplRequest): Promise<HttpAnswer>
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

/**
 * The base URL for a service, by its environment and region. `simulatorUrl` ends with the simulator's own
 * name.
 */
function baseUrl({ service }: ServiceCall, simulatorUrl: string | undefined): string | undefined {
  const { environment = '', region = 'eu' } = service.fields
  if (hasLiveCredentialsInSandbox(service.fields, simulatorUrl !== undefined)) return undefined
  if (environment === 'simulator') return simulatorUrl && `${simulatorUrl}/${service.id}`
  return hosts.get(`${environment}/${region}`)
}

/**
 * Sends requests with Basic authentication. Captures and refusals do not name their request, so an answer
 * that repeats another idempotency key counts as lost.
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
      const headers = {
        authorization: authorizationOf(call),
        ...(key !== undefined && { [KEY_HEADER]: key }),
      }
      const answer = await call.http({ method, url: address, headers, ...(body !== undefined && { body }) })
      const answeredKey = answer.lost ? undefined : answer.headers[KEY_HEADER.toLowerCase()]
      return answeredKey === undefined || answeredKey === key
        ? answer
        : { lost: true, sent: true, reason: 'the answer belongs to another request' }
    },
  }
}

export type Answered = Extract<HttpAnswer, { lost: false }>
type Lost = Extract<HttpAnswer, { lost: true }>

/** The outcome of a request without an answer: unprocessed only if the request was never sent. */
export const lostOutcome = ({ sent, reason }: Lost): Outcome =>
  sent
    ? unknownOutcome(reason)
    : unprocessedOutcome('service_network_error', { raw_response_description: reason })

/** An amount in minor units, as the provider states it. */
export const money = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A segment of a path. An id that is not well-formed text is none of the provider's, but must not throw. */
export const segment = (value: string): string => encodeURIComponent(value.toWellFormed())
