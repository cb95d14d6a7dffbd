import { AuthenticationError, createRailyard, type PrivateKey, ValidationError } from '@railyard/client'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test, vi } from 'vitest'
import { startRailyardForFile } from '../../support/start-railyard.ts'
import { newKey, payment } from './start-client.ts'

const railyard = await startRailyardForFile()
const { url: baseUrl } = railyard

test.each(['EdDSA', 'ES256', 'ES384', 'ES512'] as const)(
  'Railyard accepts tokens of a key for %s, given as PEM and as JWK',
  async (algorithm) => {
    const { pem, jwk, thumbprint } = await newKey(railyard, algorithm)
    const keys: PrivateKey[] = [pem, { ...jwk, alg: algorithm, use: 'sig' }]
    for (const privateKey of keys) {
      const client = createRailyard({ baseUrl, privateKey })
      expect((await client.transactions.list({ limit: 1 }).page()).items).toEqual([])
      expect(decodeProtectedHeader(await client.embedToken())).toEqual({
        alg: algorithm,
        typ: 'JWT',
        kid: thumbprint,
      })
    }
  },
)

test('a token is signed once for all requests until it is about to expire', async () => {
  const { pem } = await newKey(railyard)
  const sign = vi.spyOn(crypto.subtle, 'sign')
  const sent = new Set<string | null>()
  const client = createRailyard({
    baseUrl,
    privateKey: pem,
    scopes: ['buyers.read'],
    tokenLifetime: 120,
    fetch: async (input, init) => {
      sent.add(new Headers(init?.headers).get('authorization'))
      return fetch(input, init)
    },
  })
  const read = () => client.buyers.list({ limit: 1 }).page()
  await Promise.all([read(), read(), read()])
  await read()
  expect(sent.size).toBe(1)
  const claims = decodeJwt([...sent][0]?.replace('Bearer ', '') ?? '')
  expect(claims).toMatchObject({ scopes: ['buyers.read'] })
  expect(Number(claims.exp) - Number(claims.nbf)).toBe(120)

  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 91_000)
  await read().catch(() => undefined)
  clock.mockRestore()
  expect(sent.size).toBe(2)
  sign.mockRestore()
})

test('a browser pays with an embed token, and cannot change what it fixes', async () => {
  const { account } = await railyard.merchant()
  const { pem } = await newKey(railyard)
  const server = createRailyard({ baseUrl, privateKey: pem, merchantAccount: account })
  const token = await server.embedToken(
    { amount: 1299, currency: 'USD', metadata: { order: '4711' }, merchant_account_id: account },
    { expiresIn: 600 },
  )
  const browser = createRailyard({ baseUrl, token: async () => token })
  const paid = await browser.transactions.create(payment)
  expect(paid).toMatchObject({ amount: 1299, metadata: { order: '4711' } })
  await expect(browser.transactions.create({ ...payment, amount: 1 })).rejects.toMatchObject({
    constructor: ValidationError,
    details: [expect.objectContaining({ pointer: '/amount' })],
  })
  await expect(browser.embedToken()).rejects.toThrow('privateKey')
})

test('an unknown key is an AuthenticationError, and a key that cannot sign is a TypeError', async () => {
  const { pem } = await newKey(railyard, 'EdDSA')
  const jwk = { kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'AQAB' }
  const list = (privateKey: PrivateKey) => createRailyard({ baseUrl, privateKey }).buyers.list().page()
  await expect(list(jwk)).rejects.toThrow('none of Ed25519')
  await expect(list(pem.replaceAll('PRIVATE KEY', 'EC PRIVATE KEY'))).rejects.toThrow('PKCS #8')
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  const unknown = await crypto.subtle.exportKey('jwk', pair.privateKey)
  await expect(list({ ...unknown })).rejects.toBeInstanceOf(AuthenticationError)
})
