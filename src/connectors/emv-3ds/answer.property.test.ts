import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../wire/http-message.ts'
import { readAres, readResult, readVersions } from './answer.ts'
import { versions } from './version.ts'

const id = randomUUID()
const version = '2.2.0'

const [dsTransID, acsTransID] = [randomUUID(), randomUUID()]
const authenticationValue = 'AAABBEg0VhI0VniQEjRWAAAAAAA='

/** Valid messages. */
const right = fc.constantFrom('ARes', 'RReq').chain((messageType) =>
  fc
    .constantFrom(['Y', '05'], ['Y', '02'], ['A', '06'], ['A', '01'], ['N', '07'], ['C', '07'])
    .map(([transStatus, eci]) => ({
      ...{
        messageType,
        messageVersion: version,
        threeDSServerTransID: id,
        dsTransID,
        acsTransID,
        transStatus,
        authenticationValue,
        eci,
      },
      ...{ acsURL: 'https://acs.example/challenge', transStatusReason: '01', protocolVersions: [version] },
    })),
)

/** Wrong values of a member, besides any JSON or none. */
const wrong: Readonly<Record<string, unknown[]>> = {
  messageType: ['ARes', 'RReq', 'Erro'],
  messageVersion: ['2.1.0', '1.0.2'],
  threeDSServerTransID: [randomUUID()],
  dsTransID: [''],
  acsTransID: [''],
  transStatus: ['Y', 'A', 'U', 'R', 'C', 'D', 'I', 'S', 'constructor'],
  authenticationValue: ['', authenticationValue.slice(1)],
  eci: ['05', '06', '02', '01', '07', '00', '5'],
  acsURL: ['javascript:alert(1)', 'https://'],
  transStatusReason: ['\0'],
  cardholderInfo: ['Call us', '\0', '\ud800'],
  errorCode: ['305'],
  errorComponent: ['D'],
  errorDescription: ['\0', '\udc00'],
  protocolVersions: [[...versions], ['1.0.2'], []],
}

const mistake = fc
  .constantFrom(...Object.entries(wrong))
  .chain(([name, values]) =>
    fc
      .oneof(
        { weight: 3, arbitrary: fc.constantFrom(...values) },
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.jsonValue() },
      )
      .map((value): [string, unknown] => [name, value]),
  )

/** Few mistakes each, so that each rule is the only one that catches some of them. */
const message = fc
  .tuple(right, fc.array(mistake, { maxLength: 3 }))
  .map(([whole, mistakes]): Record<string, unknown> => {
    const members = Object.entries({ ...whole, ...Object.fromEntries(mistakes) })
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  })

const answer: fc.Arbitrary<HttpAnswer> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      lost: fc.constant<false>(false),
      status: fc.constantFrom(200, 200, 200, 204, 401, 404, 500),
      headers: fc.constant({}),
      body: message,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ lost: fc.constant<true>(true), sent: fc.boolean(), reason: fc.string() }),
  },
)

const bodyOf = (answered: HttpAnswer) => (answered.lost ? {} : answered.body)
const runs = { numRuns: 3_000 }

/** Text that PostgreSQL can keep. */
const isStorable = (value: unknown) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value))

describe('any answer of a 3DS server', () => {
  test('readAres returns a complete result, and authenticates only with a complete proof of this transaction', () => {
    fc.assert(
      fc.property(answer, (answered) => {
        const read = readAres(answered, { id, version })
        expect(isStorable(read)).toBe(true)
        const body = bodyOf(answered)
        switch (read.status) {
          case 'authenticated':
            expect(body).toMatchObject({
              messageType: 'ARes',
              threeDSServerTransID: id,
              messageVersion: version,
              dsTransID: expect.any(String),
            })
            expect(['Y05', 'Y02', 'A06', 'A01']).toContain(`${body['transStatus']}${body['eci']}`)
            expect(read.proof).toMatchObject({
              cavv: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
              eci: body['eci'],
              authentication_response: null,
            })
            break
          case 'refused':
            expect(['N', 'U', 'R']).toContain(read.proof.directory_response)
            expect(read.proof.cavv).toBeNull()
            break
          case 'challenge':
            expect(new URL(read.acsUrl).protocol).toBe('https:')
            expect(JSON.parse(Buffer.from(read.creq, 'base64url').toString())).toMatchObject({
              threeDSServerTransID: id,
              acsTransID: body['acsTransID'],
            })
            break
          case 'error':
            expect(Object.keys(read.error).sort()).toEqual(['code', 'component', 'description', 'detail'])
        }
      }),
      runs,
    )
  })

  test('readResult authenticates only with a complete proof of this transaction', () => {
    fc.assert(
      fc.property(answer, (answered) => {
        const read = readResult(answered, id)
        expect(isStorable(read)).toBe(true)
        if (read.status === 'refused') expect(read.proof.cavv).toBeNull()
        if (read.status !== 'authenticated') return
        const body = bodyOf(answered)
        expect(body).toMatchObject({ threeDSServerTransID: id })
        expect(['Y05', 'Y02', 'A06', 'A01']).toContain(`${body['transStatus']}${body['eci']}`)
        expect(read.proof.cavv).toMatch(/^[A-Za-z0-9+/]{27}=$/)
      }),
      runs,
    )
  })

  test('readVersions takes the highest common version, and a missing answer is not a card without 3-D Secure', () => {
    fc.assert(
      fc.property(answer, (answered) => {
        const read = readVersions(answered)
        if (read.status === 'error') return
        const supported = bodyOf(answered)['protocolVersions']
        expect(supported).toBeInstanceOf(Array)
        expect(read.version).toBe(
          versions.find((version) => Array.isArray(supported) && supported.includes(version)) ?? null,
        )
        expect(read.enrolled).toBe(read.version !== null)
      }),
      runs,
    )
  })
})
