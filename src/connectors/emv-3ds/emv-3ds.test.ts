import { describe, expect, test } from 'vitest'
import { asked, openThreeDSecure, simulate } from '../../../test/support/domains/three-d-secure.ts'
import { systemClock } from '../../base/clock.ts'
import { testCards } from '../../sandbox/providers/three-d-secure/outcome.ts'
import type { ThreeDSecureServer } from '../contract/three-d-secure-server.ts'
import { schemeServices } from '../registry.ts'
import type { HttpRequest } from '../wire/http-message.ts'
import { recordExchanges } from '../wire/record-exchanges.ts'
import { redactor } from '../wire/redact.ts'
import { versions } from './version.ts'

const town = openThreeDSecure()

const base64OfTwentyBytes = expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('an authentication without a challenge (semantics §7.2)', () => {
  test.each([
    ['Y', '05'],
    ['A', '06'],
  ] as const)('%s proves the authentication with indicator %s', async (status, eci) => {
    const answer = await town.authenticated(asked(simulate(status)))
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
    const answer = await town.authenticated(asked(simulate(status)))
    expect(answer).toMatchObject({
      status: 'refused',
      proof: {
        directory_response: status,
        authentication_response: null,
        transaction_reason: reason,
        cavv: null,
        eci: '07',
      },
    })
  })

  test('times out if the issuer does not answer', async () => {
    const request = asked(simulate('timeout'))
    expect(await town.authenticated(request)).toEqual({
      status: 'error',
      error: {
        code: '402',
        description: 'Transaction timed out',
        detail: 'no answer in time',
        component: 'S',
      },
    })
    expect(await town.server.result(town.http, request.id)).toEqual({ status: 'absent' })
  })
})

describe('the message version', () => {
  test.each(versions)('is %s if the card’s range supports it', async (version) => {
    const request = asked(simulate('Y', null, version))
    expect(await town.server.versions(town.http, request.card, request.simulated)).toEqual({
      status: 'known',
      enrolled: true,
      version,
      methodUrl: `${town.simulatorUrl}/3ds/acs/method`,
    })
    expect(await town.authenticated(request)).toMatchObject({ status: 'authenticated', proof: { version } })
  })

  test.each([
    ['2.3.0', '2.2.0'],
    ['2.9', '2.3.1'],
    ['1.0.2', null],
  ])('for a range that supports %s is %s', async (supported, version) => {
    const { card, simulated } = asked(simulate('Y', null, supported))
    expect(await town.server.versions(town.http, card, simulated)).toEqual({
      status: 'known',
      enrolled: version !== null,
      version,
      methodUrl: version && `${town.simulatorUrl}/3ds/acs/method`,
    })
  })
})

describe('the cards of semantics §7.3', () => {
  const mastercards = ['5200000000001203', '5240000000001072']

  test.each(testCards.frictionless)('%s is authenticated without a challenge', async (number) => {
    const eci = mastercards.includes(number) ? '02' : '05'
    expect(await town.authenticated(asked({}, number))).toMatchObject({
      status: 'authenticated',
      proof: { version: '2.2.0', directory_response: 'Y', eci },
    })
  })

  test.each(testCards.challenge)('%s is challenged', async (number) => {
    const answer = await town.authenticated(asked({}, number))
    expect(answer).toMatchObject({
      status: 'challenge',
      proof: { directory_response: 'C', authentication_response: null, cavv: null, eci: null },
    })
  })

  test.each(testCards.notEnrolled)('%s is not enrolled', async (number) => {
    expect(await town.authenticated(asked({}, number))).toBe('not enrolled')
  })

  test('Mastercard counts an attempt as 01, and a refusal as 00', async () => {
    expect(await town.authenticated(asked(simulate('A'), mastercards[0]))).toMatchObject({
      proof: { eci: '01' },
    })
    expect(await town.authenticated(asked(simulate('N'), mastercards[0]))).toMatchObject({
      proof: { eci: '00' },
    })
  })

  test('a scenario decides before the card’s number does', async () => {
    expect(await town.authenticated(asked(simulate('N'), testCards.notEnrolled[0]))).toMatchObject({
      status: 'refused',
    })
    expect(await town.authenticated(asked(simulate('Y'), testCards.challenge[0]))).toMatchObject({
      status: 'authenticated',
    })
  })
})

describe('faults of the 3DS server', () => {
  test.each([
    ['error', '403'],
    ['lost', '405'],
    ['reset', '405'],
    ['malformed', '101'],
    ['empty', '101'],
    ['outage', '405'],
  ] as const)('%s is an error, and the repeated request gets the same authentication', async (kind, code) => {
    const request = asked(simulate('Y'))
    await town.misbehave({ operation: 'authentication', kind, times: 1 })
    expect(await town.authenticated(request)).toMatchObject({
      status: 'error',
      error: { code, component: 'S' },
    })
    const [first, second] = [await town.authenticated(request), await town.authenticated(request)]
    expect(first).toMatchObject({ status: 'authenticated' })
    expect(second).toEqual(first)
    expect(await town.server.result(town.http, request.id)).toEqual(first)
  })

  test('another transaction’s answer is an error', async () => {
    await town.authenticated(asked(simulate('Y')))
    await town.misbehave({ operation: 'authentication', kind: 'duplicate' })
    expect(await town.authenticated(asked(simulate('N')))).toMatchObject({
      status: 'error',
      error: { code: '301', component: 'S' },
    })
  })

  test('a failed version request is an error, not a card without 3-D Secure', async () => {
    await town.misbehave({ operation: 'versioning', kind: 'error' })
    expect(await town.authenticated(asked())).toMatchObject({ status: 'error', error: { code: '403' } })
  })

  test('a refusal by the directory server has its reason in an Erro', async () => {
    const profile = { ...asked().profile, merchant_category_code: '' }
    const answer = await town.server.authenticate(town.uncheckedHttp, asked({ profile }), '2.2.0')
    expect(answer).toMatchObject({
      status: 'error',
      error: { code: '203', component: 'D', detail: expect.stringContaining('/mcc') },
    })
    const unknown = asked({}, testCards.notEnrolled[0])
    expect(await town.server.authenticate(town.http, unknown, '2.2.0')).toEqual({
      status: 'error',
      error: { code: '305', description: 'Transaction data not valid', detail: 'acctNumber', component: 'D' },
    })
  })
})

test('recorded requests and answers have neither the card number nor the proof', async () => {
  const request = asked(simulate('Y'))
  const { number } = request.card
  const http = { request: town.http, close: async () => undefined }
  const { request: recordingHttp, exchanges } = recordExchanges(
    http,
    systemClock,
    { next: () => 'id' },
    redactor(number),
  )
  await town.server.versions(recordingHttp, request.card, request.simulated)
  const answer = await town.server.authenticate(recordingHttp, request, '2.2.0')
  await town.server.result(recordingHttp, request.id)
  expect(exchanges).toHaveLength(3)
  const cavv = answer.status === 'authenticated' ? answer.proof.cavv : null
  expect(cavv).toHaveLength(28)
  expect(JSON.stringify(exchanges)).toContain('400005******5556')
  expect(JSON.stringify(exchanges)).not.toContain(number)
  expect(JSON.stringify(exchanges)).not.toContain(cavv)
})

describe('the 3DS server in use', () => {
  const none = { url: undefined, token: undefined }
  const serverOf = (
    sandboxUrl: string | undefined,
    threeDSecureServer: { url: string | undefined; token: string | undefined },
  ) => schemeServices({ sandboxUrl, threeDSecureServer, clock: systemClock }).threeDSecureServer

  /** The URL of a request, and its credential. */
  async function addressee(server: ThreeDSecureServer | undefined) {
    const sent: HttpRequest[] = []
    await server?.result(async (request) => {
      sent.push(request)
      return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    }, 'id')
    return sent.map(({ url, headers }) => ({ url, headers }))
  }

  test('is the operator’s, with its bearer token, else the sandbox’s, else none', async () => {
    const own = { url: 'https://3ds.example', token: 's.token' }
    const bearer = { authorization: 'Bearer s.token' }
    expect(await addressee(serverOf('http://sandbox', own))).toEqual([
      { url: 'https://3ds.example/3dss/results/id', headers: bearer },
    ])
    expect(await addressee(serverOf('http://sandbox', none))).toEqual([
      { url: 'http://sandbox/3ds/3dss/results/id', headers: undefined },
    ])
    expect(serverOf(undefined, none)).toBeUndefined()
  })
})
