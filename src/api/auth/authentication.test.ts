import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { requestsWithTokens, seconds, unauthorized } from '../../../test/support/authentication.ts'
import { type Answer, startTestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'
import { revokeKeyPair } from '../../accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../../accounts/api-keys/private-key.ts'
import { algorithms } from './token.ts'

const railyard = await startRailyardForFile()
const { withToken, statusWith } = requestsWithTokens(railyard)

describe('a key pair', () => {
  test.each(algorithms)('of the algorithm %s signs tokens that are accepted', async (algorithm) => {
    const merchant = await railyard.client({ account: 'default', algorithm })
    expect(merchant.signer.algorithm).toBe(algorithm)
    expect((await merchant.get('/transactions')).status).toBe(200)
    expect((await withToken(await signed(merchant.signer, goodClaims()))).status).toBe(200)
  })

  test('has as its kid the RFC 7638 thumbprint, with P-521 coordinates of full length', async () => {
    for (let count = 0; count < 20; count++) {
      const { publicJwk, thumbprint } = await generateKey('ES512')
      const { crv, kty, x, y } = publicJwk
      expect([x, y].map((coordinate) => Buffer.from(String(coordinate), 'base64url').length)).toEqual([
        66, 66,
      ])
      expect(thumbprint).toBe(
        createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url'),
      )
    }
  })

  test('that is revoked is refused at once, also with tokens that have been verified before', async () => {
    const merchant = await railyard.client({ account: 'default' })
    const fresh = await signed(merchant.signer, goodClaims())
    expect((await merchant.get('/transactions')).status).toBe(200)
    expect(await revokeKeyPair(railyard.world, merchant.keyId)).toBe(true)
    expect(await merchant.get('/transactions')).toMatchObject({ status: 401, body: unauthorized })
    expect(await withToken(fresh)).toMatchObject({ status: 401, body: unauthorized })
  })

  test('has the time of its last use recorded', async () => {
    const merchant = await railyard.client({ account: 'default' })
    await merchant.get('/transactions')
    const used = railyard.world.db
      .selectFrom('api_key_pairs')
      .select('last_used_at')
      .where('id', '=', merchant.keyId)
    await expect.poll(async () => (await used.executeTakeFirstOrThrow()).last_used_at).not.toBeNull()
  })
})

describe('the refusal of a request', () => {
  const reasons = () =>
    railyard.logged.map((line) => JSON.parse(line)).filter(({ code }) => code === 'unauthorized')
  /** The reason in the log, after the checks that every refusal passes. */
  const loggedReason = async (refused: Promise<Answer>) => {
    const answer = await refused
    expect(answer).toMatchObject({
      status: 401,
      body: { ...unauthorized, message: expect.stringContaining(unauthorized.message) },
    })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    return reasons().find(({ request }) => request === answer.headers.get('x-request-id'))?.reason
  }

  test('with a token that its key has signed answers that it has expired, or is not valid yet', async () => {
    const { signer } = await railyard.client({ account: 'default', algorithm: 'RS256' })
    for (const [claims, reason] of [
      [{ exp: seconds() - 1 }, 'the token has expired'],
      [{ exp: seconds() - 3600 }, 'the token has expired'],
      [{ nbf: seconds() + 90 }, 'the token is not valid yet'],
      [{ iat: seconds() + 90 }, 'the token is not valid yet'],
    ] as const) {
      const answer = withToken(await signed(signer, goodClaims(claims)))
      expect(await loggedReason(answer)).toBe(reason)
      expect((await answer).body.message).toBe(`No valid API authentication found: ${reason}`)
    }
  })

  test('with an expired token that another key has signed does not answer that it has expired', async () => {
    const { signer } = await railyard.client({ account: 'default', algorithm: 'RS256' })
    const other = await railyard.client({ account: 'default', algorithm: 'RS256' })
    const forged = withToken(
      await signed({ ...other.signer, thumbprint: signer.thumbprint }, goodClaims({ exp: seconds() - 1 })),
    )
    expect((await forged).body).toEqual(unauthorized)
  })

  test('has its reason in the log only, for any other token', async () => {
    const { signer, keyId } = await railyard.client({ account: 'default', algorithm: 'RS256' })
    const token = (claims = {}) => signed(signer, goodClaims(claims))
    expect(await loggedReason(railyard.send('GET', '/transactions'))).toBe('no authorization header')
    expect(await loggedReason(withToken('a'))).toMatch(/^the authorization header is not/)
    expect(await loggedReason(withToken('a.b.c'))).toBe('the token is malformed')
    expect(await loggedReason(withToken(await token({ jti: 7 })))).toMatch(/^a claim is missing/)
    const otherAlgorithm = { ...signer, algorithm: 'RS512' as const }
    expect(await loggedReason(withToken(await signed(otherAlgorithm, goodClaims())))).toMatch(
      /^the token is signed with another algorithm/,
    )
    const other = await railyard.client({ account: 'default', algorithm: 'RS256' })
    expect(
      await loggedReason(
        withToken(await signed({ ...other.signer, thumbprint: signer.thumbprint }, goodClaims())),
      ),
    ).toBe('the signature does not fit')
    await revokeKeyPair(railyard.world, keyId)
    expect(await loggedReason(withToken(await token()))).toBe(
      `the key ${signer.thumbprint} is unknown or revoked`,
    )
  })
})

describe('the lifetime of a token', () => {
  test('may begin 60 seconds ahead of the server’s clock, and no more', async () => {
    const { signer } = await railyard.client({ account: 'default' })
    expect(await statusWith(signer, { nbf: seconds() + 55, iat: seconds() + 55 })).toBe(200)
    expect(await statusWith(signer, { nbf: seconds() + 65 })).toBe(401)
    expect(await statusWith(signer, { iat: seconds() + 65 })).toBe(401)
  })

  test('ends at exp, without grace', async () => {
    const { signer } = await railyard.client({ account: 'default' })
    expect(await statusWith(signer, { exp: seconds() })).toBe(401)
    expect(await statusWith(signer, { exp: seconds() - 1 })).toBe(401)
  })

  test('ends also for a token that has been verified before', async () => {
    const brief = await startTestRailyard()
    const { signer } = await brief.client({ account: 'default' })
    const token = await signed(signer, goodClaims({ exp: seconds() + 30 }))
    const ask = () => brief.send('GET', '/transactions', { headers: { authorization: `bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    brief.clock.advance(31_000)
    expect((await ask()).status).toBe(401)
    await brief.close()
  })

  test('may be as long as its issuer likes, and iat may be missing', async () => {
    const { signer } = await railyard.client({ account: 'default' })
    const { iat, ...claims } = goodClaims({ exp: seconds() + 10 * 365 * 86_400 })
    expect((await withToken(await signed(signer, claims))).status).toBe(200)
  })
})

test('a token that is good for longer than TOKEN_LIFETIME_SECONDS is refused, with the reason in the answer', async () => {
  const strict = await startTestRailyard({ TOKEN_LIFETIME_SECONDS: '3600' })
  const { signer } = await strict.client({ account: 'default' })
  const ask = async (claims: Record<string, unknown>) => {
    const token = await signed(signer, goodClaims(claims))
    return strict.send('GET', '/transactions', { headers: { authorization: `Bearer ${token}` } })
  }
  const message = 'No valid API authentication found: the token is good for longer than 3600 seconds'
  expect((await ask({ nbf: seconds(), exp: seconds() + 3_600 })).status).toBe(200)
  expect(await ask({ nbf: seconds(), exp: seconds() + 3_602 })).toMatchObject({
    status: 401,
    body: { code: 'unauthorized', message },
  })
  expect((await ask({ nbf: seconds() - 4_000, exp: seconds() + 60 })).status).toBe(401)
  expect((await ask({ exp: 4_102_444_800 })).status).toBe(401)
  await strict.close()
})
