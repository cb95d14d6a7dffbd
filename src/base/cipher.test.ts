import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCipher, isSignature } from './cipher.ts'

const cipher = createCipher(randomBytes(32))
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())

test('a sealed value opens to the same text under the same purpose and context', () => {
  fc.assert(
    fc.property(text, text, (plain, context) => {
      expect(
        cipher.open(
          'merchant-account-secrets',
          cipher.seal('merchant-account-secrets', plain, context),
          context,
        ),
      ).toBe(plain)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('a sealed value with a changed bit or a missing byte does not open', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(7), (plain, at, bit) => {
      const sealed = cipher.seal('payment-service-fields', plain, 'row')
      const changed = Buffer.from(sealed)
      const index = at % sealed.length
      changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index)
      expect(() => cipher.open('payment-service-fields', changed, 'row')).toThrow()
      expect(() => cipher.open('payment-service-fields', sealed.subarray(0, index), 'row')).toThrow()
    }),
    { seed: 2, numRuns: 500 },
  )
})

test('a sealed value cannot be moved to another row, another purpose or another instance', () => {
  const sealed = cipher.seal('payment-service-fields', 'sk_live', 'service-1')
  expect(() => cipher.open('payment-service-fields', sealed, 'service-2')).toThrow()
  expect(() => cipher.open('merchant-account-secrets', sealed, 'service-1')).toThrow()
  expect(() => createCipher(randomBytes(32)).open('payment-service-fields', sealed, 'service-1')).toThrow()
})

test('sealing the same value again gives another ciphertext, which reveals only the length', () => {
  const sealed = Array.from({ length: 1_000 }, () => cipher.seal('payment-service-fields', 'sk_live', 'row'))
  expect(new Set(sealed.map((value) => value.subarray(0, 12).toString('hex'))).size).toBe(1_000)
  expect(new Set(sealed.map((value) => value.length))).toEqual(new Set([12 + 'sk_live'.length + 16]))
  expect(sealed.some((value) => value.includes('sk_live'))).toBe(false)
})

test('a value shorter than a nonce and a tag is refused', () => {
  for (const length of [0, 1, 12, 16, 27])
    expect(() => cipher.open('payment-service-fields', Buffer.alloc(length), '')).toThrow()
})

test('a MAC is the same for the same value, purpose and instance, and differs for any other', () => {
  const [number, mac] = ['4111111111111111', cipher.mac('card-fingerprint', '4111111111111111')]
  expect(mac).toHaveLength(32)
  expect(cipher.mac('card-fingerprint', number)).toEqual(mac)
  expect(cipher.mac('card-fingerprint', '4111111111111112')).not.toEqual(mac)
  expect(cipher.mac('request-fingerprint', number)).not.toEqual(mac)
  expect(createCipher(randomBytes(32)).mac('card-fingerprint', number)).not.toEqual(mac)
})

test('the keys derived from a master key are the same in every version, so that stored values open', () => {
  const fixed = createCipher(Buffer.alloc(32, 1))
  expect(fixed.mac('card-fingerprint', '4111111111111111').toString('hex')).toBe(
    '59d52052e226751aa578aa2387bc654828b57666ae817396fb64d1368b8d52ed',
  )
  expect(
    fixed.open(
      'payment-service-fields',
      Buffer.from('Fz9+ptXf8YxkobjRXhj4f9pcKPQyT4XLd6MJrNh5brhRDMk=', 'base64'),
      'row',
    ),
  ).toBe('sk_live')
})

test('a value under a later root secret opens with that secret alone, and earlier values still open', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const before = createCipher(first)
  const after = createCipher({
    current: 2,
    known: new Map([
      [1, first],
      [2, second],
    ]),
    accepted: [2, 1],
  })
  expect(
    after.open('payment-service-fields', before.seal('payment-service-fields', 'sk_live', 'row'), 'row'),
  ).toBe('sk_live')
  const sealed = after.seal('payment-service-fields', 'sk_live', 'row')
  expect(after.open('payment-service-fields', sealed, 'row')).toBe('sk_live')
  expect(() => before.open('payment-service-fields', sealed, 'row')).toThrow()
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
    expect(() => after.open('payment-service-fields', changed, 'row')).toThrow()
  }
})

test('a signature under an earlier root secret is accepted until that secret is retired, and a fingerprint never changes', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const known = new Map([
    [1, first],
    [2, second],
  ])
  const earlier = createCipher(first).mac('notification', 'berlin').toString('base64url')
  const [during, ended] = [
    createCipher({ current: 2, known, accepted: [2, 1] }),
    createCipher({ current: 2, known, accepted: [2] }),
  ]
  expect(isSignature(during, 'notification', 'berlin', earlier)).toBe(true)
  expect(isSignature(ended, 'notification', 'berlin', earlier)).toBe(false)
  for (const cipher of [during, ended]) {
    expect(
      isSignature(
        cipher,
        'notification',
        'berlin',
        cipher.mac('notification', 'berlin').toString('base64url'),
      ),
    ).toBe(true)
    expect(cipher.mac('card-fingerprint', '4111111111111111')).toEqual(
      createCipher(first).mac('card-fingerprint', '4111111111111111'),
    )
  }
})
