import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type AppleSigner, makeAppleSigner } from '../../sandbox/devices/apple-authority.ts'
import { applePayToken } from '../../sandbox/devices/apple-device.ts'
import { signDetached } from '../../sandbox/devices/signed-data.ts'
import { type ApplePayKey, openApplePayToken } from './apple-pay-token.ts'
import { appleRoot } from './trusted-roots.ts'
import { RefusedToken } from './wallet-token.ts'

const NOW = Date.parse('2030-05-01T12:00:00Z')
const MINUTE_MS = 60_000
const clock = { now: () => NOW }
const pair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const root = pair()
const merchant = pair()
const merchantIdHash = createHash('sha256').update('merchant.example').digest()
const key: ApplePayKey = { privateKey: merchant.privateKey, merchantIdHash }
const payment = { number: '4111111111111111', expirationDate: '12/35', amount: 12_99, currency: 'EUR' }
type Token = ReturnType<typeof applePayToken>

let signer: AppleSigner
beforeAll(async () => {
  signer = await makeAppleSigner(root.privateKey, clock)
})

const sent = (more: Partial<typeof payment> = {}, by = signer): Token =>
  applePayToken({ ...payment, ...more }, { publicKey: merchant.publicKey, merchantIdHash }, by, NOW)
const open = (
  token: unknown,
  changes: { keys?: ApplePayKey[]; now?: number; roots?: (typeof root.publicKey)[] } = {},
) =>
  openApplePayToken(token, changes.keys ?? [key], {
    roots: changes.roots ?? [root.publicKey],
    now: changes.now ?? NOW,
  })

/** The token with other contents, signed again by the same device. */
function signedAgain(token: Token, header: Partial<Token['header']> & { applicationData?: string }): unknown {
  const after = { ...token.header, ...header }
  const content = [
    Buffer.from(after.ephemeralPublicKey, 'base64'),
    Buffer.from(token.data, 'base64'),
    Buffer.from(after.transactionId, 'hex'),
    Buffer.from(after.applicationData ?? '', 'hex'),
  ]
  const signerKey = createPrivateKey({ key: signer.privateKey, format: 'der', type: 'pkcs8' })
  return {
    ...token,
    header: after,
    signature: signDetached(Buffer.concat(content), signer.certificates, signerKey, NOW).toString('base64'),
  }
}

test('a token of a device opens to its own number, the proof of the approval, and the approved amount', () => {
  const token = sent()
  expect(open(token)).toEqual({
    number: '4111111111111111',
    expirationDate: '12/35',
    cryptogram: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
    eci: '07',
    source: 'apple-pay',
    method: 'CRYPTOGRAM_3DS',
    tokenId: token.header.transactionId,
    usableUntil: NOW + 5 * MINUTE_MS,
    approved: { amount: 12_99, currency: 'EUR' },
  })
})

test('the application data of the merchant’s request is signed, too', () => {
  const applicationData = createHash('sha256').update('order 17').digest('hex')
  expect(open(signedAgain(sent(), { applicationData })).number).toBe(payment.number)
  expect(() => open({ ...sent(), header: { ...sent().header, applicationData } })).toThrow(RefusedToken)
})

test('a merchant with two certificates opens tokens for either', () => {
  expect(open(sent(), { keys: [{ ...key, privateKey: pair().privateKey }, key] }).number).toBe(payment.number)
})

test.each([
  ['four minutes old', 4 * MINUTE_MS],
  ['of a device whose clock is fast', -4 * MINUTE_MS],
])('a token %s is accepted', (_, later) => {
  expect(open(sent(), { now: NOW + later }).number).toBe(payment.number)
})

test.each<[string, string, () => unknown]>([
  ['six minutes old', 'has expired', () => open(sent(), { now: NOW + 6 * MINUTE_MS })],
  ['from the future', 'has expired', () => open(sent(), { now: NOW - 6 * MINUTE_MS })],
  [
    'under a root that is not trusted',
    'is not signed by the wallet',
    () => open(sent(), { roots: [appleRoot().publicKey] }),
  ],
  [
    'without the intermediate certificate',
    'is not signed by the wallet',
    () => open(sent({}, { ...signer, certificates: signer.certificates.slice(0, 1) })),
  ],
  [
    'for another merchant’s key',
    'is encrypted for another merchant',
    () => open(sent(), { keys: [{ ...key, privateKey: pair().privateKey }] }),
  ],
  [
    'for another merchant identifier',
    'cannot be decrypted',
    () => open(sent(), { keys: [{ ...key, merchantIdHash: Buffer.alloc(32) }] }),
  ],
  ['under RSA', 'is not an Apple Pay token of version EC_v1', () => open({ ...sent(), version: 'RSA_v1' })],
  ['with the data of another', 'is not what was signed', () => open({ ...sent(), data: sent().data })],
  [
    'with the transaction of another',
    'is not what was signed',
    () => open({ ...sent(), header: { ...sent().header, transactionId: 'ab' } }),
  ],
  [
    'for a currency that does not exist',
    'holds nothing that can be paid with',
    () => open(sent({ currency: 'XYZ' })),
  ],
])('a token %s is refused', (_, message, opening) => {
  expect(opening).toThrow(new RefusedToken(message))
})

test('a certificate that is no authority cannot sign for a device', async () => {
  const [leaf = Buffer.alloc(0)] = signer.certificates
  expect(() => open(sent({}, { ...signer, certificates: [leaf, leaf] }))).toThrow(RefusedToken)
  const other = await makeAppleSigner(pair().privateKey, clock)
  expect(() => open(sent({}, { ...signer, certificates: [leaf, ...other.certificates.slice(1)] }))).toThrow(
    RefusedToken,
  )
})

/** The opened token, or the error. */
const opened = (token: unknown) => {
  try {
    return open(token)
  } catch (error) {
    return error
  }
}

test('a token with any changed byte is refused, or opens to the same values', () => {
  const token = sent()
  const original = open(token)
  const flipped = (text: string, encoding: 'base64' | 'hex', at: number, bits: number) => {
    const bytes = Buffer.from(text, encoding)
    bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits
    return bytes.toString(encoding)
  }
  fc.assert(
    fc.property(
      fc.constantFrom('data', 'signature', 'ephemeralPublicKey', 'publicKeyHash', 'transactionId'),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (member, at, bits) => {
        const { header } = token
        const changed =
          member === 'data' || member === 'signature'
            ? { ...token, [member]: flipped(token[member], 'base64', at, bits) }
            : member === 'transactionId'
              ? {
                  ...token,
                  header: { ...header, transactionId: flipped(header.transactionId, 'hex', at, bits) },
                }
              : {
                  ...token,
                  header: {
                    ...header,
                    [member]: flipped(
                      member === 'publicKeyHash' ? header.publicKeyHash : header.ephemeralPublicKey,
                      'base64',
                      at,
                      bits,
                    ),
                  },
                }
        const result = opened(changed)
        // a signature has bytes that are not signed, such as the length of a field
        if (member === 'signature' && !(result instanceof Error)) expect(result).toEqual(original)
        else expect(result).toBeInstanceOf(RefusedToken)
      },
    ),
    { numRuns: 400 },
  )
})

test('a refusal repeats nothing of the token', () => {
  const messages = [open, (token: unknown) => open(token, { keys: [] })].map((opening) => {
    try {
      return String(opening({ ...sent(), data: payment.number }))
    } catch (error) {
      return String(error)
    }
  })
  for (const message of messages) expect(message).not.toContain(payment.number)
})

test('any other value in place of a token is refused', () => {
  const around = sent()
  const otherValue = fc.oneof(
    fc.jsonValue(),
    fc.base64String().map((signature) => ({ ...around, signature })),
    fc.base64String().map((data) => ({ ...around, data })),
    fc.base64String().map((ephemeralPublicKey) => signedAgain(around, { ephemeralPublicKey })),
  )
  fc.assert(
    fc.property(otherValue, (token) => {
      expect(opened(token)).toBeInstanceOf(RefusedToken)
    }),
    { numRuns: 100 },
  )
})
