import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../../test/contracts/contract.ts'
import type { FaultItem } from '../../sandbox/fault.schema.ts'
import { type Simulator, startSimulator } from '../../sandbox/simulator.ts'
import { testCards } from '../../sandbox/three-d-secure/outcome.ts'
import { systemClock } from '../../world.ts'
import type { HttpAnswer, HttpRequest } from '../connector.ts'
import { type ProviderHttp, providerHttp } from '../http.ts'
import type { AuthenticationAnswer, AuthenticationRequest, SimulatedOutcome, ThreeDSecureServer } from '../three-d-secure-server.ts'
import { emv3ds } from './connector.ts'
import { versions } from './version.ts'

const emv = contract('emv-3ds')
const violations: string[] = []
let simulator: Simulator
let client: ProviderHttp
let server: ThreeDSecureServer

beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock })
  client = providerHttp(500)
  server = emv3ds({ baseUrl: `${simulator.url}/3ds`, clock: systemClock })
})
afterEach(async () => {
  await misbehave()
  expect(violations.splice(0)).toEqual([])
})
afterAll(async () => {
  await client.close()
  await simulator.close()
})

/** Sends, and holds each message to the contract: an AReq and its answer as the directory server would see them. */
async function http(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await client.request(request)
  if (!request.url.endsWith('/authenticate')) return answer
  const message = { method: 'POST', path: '/ds/areq', headers: { 'content-type': 'application/json' } }
  violations.push(...emv.request({ ...message, body: request.body }))
  if (!answer.lost && answer.status === 200) violations.push(...emv.response({ ...message, status: 200, body: answer.body }))
  return answer
}

async function misbehave(...items: FaultItem[]): Promise<void> {
  const body = JSON.stringify({ items })
  const answer = await fetch(`${simulator.url}/faults`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body })
  expect(answer.status).toBe(200)
}

const unknownRange = '4000056655665556'

const asked = (more: Partial<AuthenticationRequest> = {}, number = unknownRange): AuthenticationRequest => ({
  id: randomUUID(),
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

const simulate = (authentication: SimulatedOutcome['authentication'], result: SimulatedOutcome['result'] = null, version: string | null = null) => ({
  simulated: { authentication, result, version },
})

/** Asks for the version, then for the authentication. */
async function authenticated(request: AuthenticationRequest): Promise<AuthenticationAnswer | 'not enrolled'> {
  const range = await server.versions(http, request.card, request.simulated)
  if (range.status === 'error') return range
  return range.version === null ? 'not enrolled' : server.authenticate(http, request, range.version)
}

const base64OfTwentyBytes = expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('the issuer decides at once (SEMANTICS §7.2)', () => {
  test.each([
    ['Y', '05'],
    ['A', '06'],
  ] as const)('%s proves the authentication with indicator %s', async (status, eci) => {
    const answer = await authenticated(asked(simulate(status)))
    expect(answer).toEqual({
      status: 'authenticated',
      proof: {
        version: '2.2.0',
        directory_response: status,
        authentication_response: null,
        directory_transaction_id: uuid,
        cavv: base64OfTwentyBytes,
        eci,
        cavv_algorithm: null,
        transaction_reason: null,
        cardholder_info: null,
      },
    })
  })

  test.each([
    ['N', '01'],
    ['R', '11'],
    ['U', '22'],
  ] as const)('%s is a refusal, for the reason %s, and proves nothing', async (status, reason) => {
    const answer = await authenticated(asked(simulate(status)))
    expect(answer).toMatchObject({
      status: 'refused',
      proof: { directory_response: status, authentication_response: null, transaction_reason: reason, cavv: null, eci: '07' },
    })
  })

  test('an issuer that says nothing is a time-out', async () => {
    const request = asked(simulate('timeout'))
    expect(await authenticated(request)).toEqual({
      status: 'error',
      error: { code: '402', description: 'Transaction timed out', detail: 'no answer in time', component: 'S' },
    })
    expect(await server.result(http, request.id)).toEqual({ status: 'absent' })
  })
})

describe('the versions', () => {
  test.each(versions)('%s is spoken where the range speaks it', async (version) => {
    const request = asked(simulate('Y', null, version))
    expect(await server.versions(http, request.card, request.simulated)).toEqual({ status: 'known', enrolled: true, version })
    expect(await authenticated(request)).toMatchObject({ status: 'authenticated', proof: { version } })
  })

  test.each([
    ['2.3.0', '2.2.0'],
    ['2.9', '2.3.1'],
    ['1.0.2', null],
  ])('a range that speaks %s is spoken to in %s', async (theirs, version) => {
    const { card, simulated } = asked(simulate('Y', null, theirs))
    expect(await server.versions(http, card, simulated)).toEqual({ status: 'known', enrolled: version !== null, version })
  })
})

describe('the cards of SEMANTICS §7.3', () => {
  const mastercards = ['5200000000001203', '5240000000001072']

  test.each(testCards.frictionless)('%s is authenticated without a challenge', async (number) => {
    const eci = mastercards.includes(number) ? '02' : '05'
    expect(await authenticated(asked({}, number))).toMatchObject({
      status: 'authenticated',
      proof: { version: '2.2.0', directory_response: 'Y', eci },
    })
  })

  test.each(testCards.challenge)('%s is challenged', async (number) => {
    const answer = await authenticated(asked({}, number))
    expect(answer).toMatchObject({ status: 'challenge', proof: { directory_response: 'C', authentication_response: null, cavv: null, eci: null } })
  })

  test.each(testCards.notEnrolled)('%s is not enrolled', async (number) => {
    expect(await authenticated(asked({}, number))).toBe('not enrolled')
  })

  test('Mastercard counts an attempt as 01, and a refusal as 00', async () => {
    expect(await authenticated(asked(simulate('A'), mastercards[0]))).toMatchObject({ proof: { eci: '01' } })
    expect(await authenticated(asked(simulate('N'), mastercards[0]))).toMatchObject({ proof: { eci: '00' } })
  })

  test('a scenario decides before the card’s number does', async () => {
    expect(await authenticated(asked(simulate('N'), testCards.notEnrolled[0]))).toMatchObject({ status: 'refused' })
    expect(await authenticated(asked(simulate('Y'), testCards.challenge[0]))).toMatchObject({ status: 'authenticated' })
  })
})
