import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { googlePayToken } from '../../sandbox/devices/google-device.ts'
import { type GooglePayRecipient, openGooglePayToken, type RootKey } from './google-pay-token.ts'
import { RefusedToken } from './wallet-token.ts'

const NOW = Date.parse('2030-05-01T12:00:00Z')
const HOUR_MS = 3_600_000
const pair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const root = pair()
const gateway = pair()
const recipient: GooglePayRecipient = {
  recipientId: 'gateway:railyard',
  gatewayMerchantId: 'shop',
  privateKeys: [gateway.privateKey],
}
const roots: RootKey[] = [{ key: root.publicKey, expires: NOW + HOUR_MS }]
const payment = { number: '4111111111111111', expirationDate: '12/35', authMethod: 'CRYPTOGRAM_3DS' as const }

const sent = (
  more: Partial<Parameters<typeof googlePayToken>[0]> = {},
  rootKey: KeyObject = root.privateKey,
) => googlePayToken({ ...payment, ...more }, { ...recipient, publicKey: gateway.publicKey }, rootKey, NOW)
const open = (
  token: unknown,
  changes: { recipient?: Partial<GooglePayRecipient>; roots?: RootKey[]; now?: number } = {},
) =>
  openGooglePayToken(
    token,
    { ...recipient, ...changes.recipient },
    changes.roots ?? roots,
    changes.now ?? NOW,
  )

test('a token of a device opens to its own number with the proof of the approval', () => {
  expect(open(sent())).toEqual({
    number: '4111111111111111',
    expirationDate: '12/35',
    cryptogram: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
    eci: '05',
    source: 'google-pay',
    method: 'CRYPTOGRAM_3DS',
    tokenId: expect.any(String),
    usableUntil: NOW + 24 * HOUR_MS,
    approved: null,
  })
})

test('a card of the buyer’s Google account has no cryptogram', () => {
  expect(open(sent({ authMethod: 'PAN_ONLY' }))).toMatchObject({
    method: 'PAN_ONLY',
    cryptogram: null,
    eci: null,
  })
})

test('the token may come parsed', () => {
  expect(open(JSON.parse(sent())).number).toBe(payment.number)
})

test('a gateway that has changed its key still opens tokens for the earlier key', () => {
  expect(open(sent(), { recipient: { privateKeys: [pair().privateKey, gateway.privateKey] } }).number).toBe(
    payment.number,
  )
})

test.each<[string, string, () => unknown]>([
  ['signed under another root', 'is not signed by the wallet', () => open(sent({}, pair().privateKey))],
  [
    'for another gateway',
    'has a wrong signature',
    () => open(sent(), { recipient: { recipientId: 'gateway:other' } }),
  ],
  [
    'for another merchant of the gateway',
    'is for another merchant',
    () => open(sent(), { recipient: { gatewayMerchantId: 'other' } }),
  ],
  [
    'encrypted for another key',
    'is encrypted for another merchant',
    () => open(sent(), { recipient: { privateKeys: [pair().privateKey] } }),
  ],
  [
    'a day old',
    'is signed with a key that has expired',
    () => open(sent(), { roots: [{ key: root.publicKey, expires: null }], now: NOW + 24 * HOUR_MS }),
  ],
  [
    'under a root that has expired',
    'is not signed by the wallet',
    () => open(sent(), { now: NOW + HOUR_MS }),
  ],
  [
    'of an earlier protocol',
    'is not a Google Pay token of version ECv2',
    () => open({ ...JSON.parse(sent()), protocolVersion: 'ECv1' }),
  ],
  ['not JSON', 'is not JSON', () => open('token')],
])('a token %s is refused', (_, message, opening) => {
  expect(opening).toThrow(new RefusedToken(message))
})

/** The path of every text in a JSON value. */
const texts = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'string'
    ? [path]
    : value !== null && typeof value === 'object'
      ? Object.entries(value).flatMap(([name, inner]) => texts(inner, [...path, name]))
      : []

const replaced = (value: unknown, [name, ...rest]: string[], change: (text: string) => string): unknown => {
  if (name === undefined) return change(String(value))
  if (Array.isArray(value))
    return value.map((inner, index) => (String(index) === name ? replaced(inner, rest, change) : inner))
  return { ...Object(value), [name]: replaced(Object(value)[name], rest, change) }
}

test('a token with any changed character is refused', () => {
  const token = JSON.parse(sent())
  const paths = texts(token)
  fc.assert(
    fc.property(
      fc.constantFrom(...paths),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
      (path, at, other) => {
        let same = false
        const changed = replaced(token, path, (text) => {
          const index = at % text.length
          same = text[index] === other
          return text.slice(0, index) + other + text.slice(index + 1)
        })
        fc.pre(!same)
        expect(() => open(changed)).toThrow(RefusedToken)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('any other value in place of a token is refused', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.jsonValue(),
        fc.constant(JSON.stringify({ ...JSON.parse(sent()), signedMessage: 'null' })),
      ),
      (value) => {
        expect(() => open(value)).toThrow(RefusedToken)
      },
    ),
  )
})
