import { describe, expect, test } from 'vitest'
import { growth } from '../../../test/support/growth.ts'
import { encode, goodClaims, signed } from '../../../test/support/tokens.ts'
import { generateKey, readSigner } from '../../accounts/api-keys/private-key.ts'
import { systemClock } from '../../base/clock.ts'
import { tokenVerifier } from './token.ts'

const kid = 'k'.repeat(43)
const base64 = (text: string) => Buffer.from(text).toString('base64url')

/** The reason for which an instance without keys refuses a token, and the keys that it looked up. */
async function refusal(token: string) {
  const lookedUp: string[] = []
  const verify = tokenVerifier(systemClock, async (thumbprint) => {
    lookedUp.push(thumbprint)
    return undefined
  })
  const error = await verify(token).catch((thrown: { reason?: string }) => thrown)
  return { reason: 'reason' in error ? error.reason : undefined, lookedUp }
}

describe('before the key of a token is found', () => {
  test('only the token’s header is read', async () => {
    const header = encode({ alg: 'ES256', kid })
    for (const rest of ['%%%.%%%', `${base64('{"exp":1,"exp":2}')}.AAAB`, `${'"'.repeat(15_000)}.x`])
      expect(await refusal(`${header}.${rest}`)).toEqual({
        reason: `the key ${kid} is unknown or revoked`,
        lookedUp: [kid],
      })
  })

  test('a header of more than 1024 characters is refused unread', async () => {
    const header = encode({ alg: 'ES256', kid, more: 'x'.repeat(1_000) })
    expect(await refusal(`${header}.e30.AAAA`)).toEqual({
      reason: 'the header of the token is longer than 1024 characters',
      lookedUp: [],
    })
    expect((await refusal('x'.repeat(16_384))).lookedUp).toEqual([])
  })

  test('a header that names a member twice is refused without a look-up', async () => {
    expect(await refusal(`${base64(`{"kid":"${kid}","kid":"${kid}"}`)}.e30.AAAA`)).toEqual({
      reason: 'the token is malformed',
      lookedUp: [],
    })
  })

  const hostile: Record<string, (size: number) => string> = {
    'opened strings in the claims': (size) =>
      `${encode({ alg: 'ES256', kid })}.${base64('"\\'.repeat(size / 3))}.AAAA`,
    'opened strings in the header': (size) => `${base64('"\\'.repeat(size / 3))}.e30.AAAA`,
    dots: (size) => '.'.repeat(size),
    'a long signature': (size) => `${encode({ alg: 'ES256', kid })}.e30.${'A'.repeat(size)}`,
  }
  test.each(Object.entries(hostile))(
    'the time to refuse a token with %s grows with its length and no faster',
    async (_, tokenOf) => {
      const manyTimes = async (token: string) => {
        for (let count = 0; count < 40; count++) await refusal(token)
      }
      expect(await growth(tokenOf, 2_000, manyTimes)).toBeLessThan(32)
    },
  )
})

test('claims that name a member twice are refused though their signature fits', async () => {
  const { privateKeyPem, thumbprint, publicJwk } = await generateKey('ES256')
  const signer = await readSigner(privateKeyPem)
  const publicKey = await crypto.subtle.importKey(
    'jwk',
    publicJwk,
    { name: 'ECDSA', namedCurve: 'P-256' },
    true,
    ['verify'],
  )
  const key = {
    id: 'key',
    displayName: 'Key',
    algorithm: 'ES256',
    publicKey,
    scopes: [],
    merchantAccountIds: [],
    mustNameAccount: false,
  } as const
  const verify = tokenVerifier(systemClock, async (kid) => (kid === thumbprint ? key : undefined))
  const claims = JSON.stringify(goodClaims())
  expect((await verify(await signed(signer, claims))).key.id).toBe('key')
  const twice = claims.replace('{', '{"scopes":["*.write"],')
  await expect(verify(await signed(signer, twice))).rejects.toMatchObject({
    status: 401,
    reason: 'the token is malformed',
  })
})
