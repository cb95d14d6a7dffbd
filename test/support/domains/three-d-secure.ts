import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import type {
  AuthenticationAnswer,
  AuthenticationRequest,
  SimulatedOutcome,
  ThreeDSecureServer,
} from '../../../src/connectors/contract/three-d-secure-server.ts'
import { emv3ds } from '../../../src/connectors/emv-3ds/connector.ts'
import { type ProviderHttp, providerHttp } from '../../../src/connectors/wire/http.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import type { FaultItem } from '../../../src/sandbox/faults/fault.schema.ts'
import { type Simulator, startSimulator } from '../../../src/sandbox/simulator.ts'
import { contract } from '../../contracts/contract.ts'

export const emv = contract('emv-3ds')

/** A challenge as the cardholder's browser carries it. */
export type Challenge = Extract<AuthenticationAnswer, { status: 'challenge' }>

export interface ThreeDSecureSetup {
  readonly simulatorUrl: string
  readonly server: ThreeDSecureServer
  /** Sends, and holds each AReq and its answer to the contract. */
  http(request: HttpRequest): Promise<HttpAnswer>
  /** For messages that break the contract on purpose. */
  uncheckedHttp(request: HttpRequest): Promise<HttpAnswer>
  /** Asks for the version, then for the authentication. */
  authenticated(request: AuthenticationRequest): Promise<AuthenticationAnswer | 'not enrolled'>
  /** An authentication that the issuer wants a challenge for. */
  challenged(request: AuthenticationRequest): Promise<Challenge>
  misbehave(...items: FaultItem[]): Promise<void>
  /** What a browser without a page of its own posts as a form. */
  post(
    url: string,
    form: Record<string, string>,
    accept?: string,
  ): Promise<{ status: number; text: string; headers: Headers }>
}

/**
 * The sandbox's 3-D Secure and the connector that speaks to it, for one test file. No message may break the
 * contract.
 */
export function openThreeDSecure(): ThreeDSecureSetup {
  let opened: { simulator: Simulator; client: ProviderHttp; server: ThreeDSecureServer } | undefined
  const violations: string[] = []
  const town = () => opened ?? expect.fail('the town is not open yet')

  beforeAll(async () => {
    const simulator = await startSimulator({ clock: systemClock })
    const server = emv3ds({ baseUrl: `${simulator.url}/3ds`, clock: systemClock })
    opened = { simulator, client: providerHttp(2_000), server }
  })
  afterEach(async () => {
    await misbehave()
    expect(violations.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await opened?.client.close()
    await opened?.simulator.close()
  })

  async function misbehave(...items: FaultItem[]): Promise<void> {
    const body = JSON.stringify({ items })
    const answer = await fetch(`${town().simulator.url}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(200)
  }

  /** An AReq and its answer are as the directory server would see them. */
  async function http(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await town().client.request(request)
    if (!request.url.endsWith('/authenticate')) return answer
    const message = { method: 'POST', path: '/ds/areq', headers: { 'content-type': 'application/json' } }
    violations.push(...emv.request({ ...message, body: request.body }))
    if (!answer.lost && answer.status === 200 && Object.keys(answer.body).length > 0)
      violations.push(...emv.response({ ...message, status: 200, body: answer.body }))
    return answer
  }

  async function authenticated(
    request: AuthenticationRequest,
  ): Promise<AuthenticationAnswer | 'not enrolled'> {
    const { server } = town()
    const range = await server.versions(http, request.card, request.simulated)
    if (range.status === 'error') return range
    return range.version === null ? 'not enrolled' : server.authenticate(http, request, range.version)
  }

  return {
    get simulatorUrl() {
      return town().simulator.url
    },
    get server() {
      return town().server
    },
    http,
    uncheckedHttp: (request) => town().client.request(request),
    authenticated,
    misbehave,
    async challenged(request) {
      const answer = await authenticated(request)
      return typeof answer === 'object' && answer.status === 'challenge'
        ? answer
        : expect.fail(JSON.stringify(answer))
    },
    async post(url, form, accept = 'application/json') {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { accept },
        body: new URLSearchParams(form),
      })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    },
  }
}

/** A payment's authentication with a card of which the simulator knows nothing in particular. */
export const asked = (
  more: Partial<AuthenticationRequest> = {},
  number = '4000056655665556',
): AuthenticationRequest => ({
  id: randomUUID(),
  methodCompletion: 'U',
  card: { number, expirationDate: '03/30', scheme: null },
  amount: 12_99,
  currency: 'EUR',
  profile: {
    merchant_acquirer_bin: '400000',
    merchant_acquirer_id: 'merchant-1',
    merchant_name: 'Hat shop',
    merchant_country_code: '276',
    merchant_category_code: '5691',
    merchant_url: 'https://hats.example',
  },
  reason: 'payment',
  buyer: { name: 'Zoë Müller', email: 'zoe@example.com', billing: null, shipping: null },
  browser: null,
  notificationUrl: 'https://railyard.example/3ds/return',
  simulated: null,
  ...more,
})

export const simulate = (
  authentication: SimulatedOutcome['authentication'],
  result: SimulatedOutcome['result'] = null,
  version: string | null = null,
) => ({ simulated: { authentication, result, version } })

/** What a merchant sends that authenticated the cardholder elsewhere. */
export const externalAuthentication = {
  cavv: 'AAAB',
  eci: '05',
  version: '2.2.0',
  directory_response: 'Y',
  directory_transaction_id: 'd-1',
}
