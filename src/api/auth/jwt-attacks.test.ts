import { describe, expect, test } from 'vitest'
import { attacksOn } from '../../../test/hostile-tokens/attacks.ts'
import type { Client } from '../../../test/support/railyard.ts'
import { roleIds } from '../../../test/support/roles.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { encode } from '../../../test/support/tokens.ts'
import { generateKey, readSigner, type Signer, signToken } from '../../accounts/api-keys/private-key.ts'
import { algorithms } from './token.ts'

const railyard = await startRailyardForFile()
const byHand = algorithms.map((algorithm) => railyard.client({ account: 'default', algorithm }))
const merchants = await Promise.all([...byHand, byApi('ECDSA'), byApi('RSA')])

/** A key pair that the API has made. */
async function byApi(algorithm: string): Promise<Pick<Client, 'token' | 'get'> & { signer: Signer }> {
  const pair = { display_name: 'Made by the API', algorithm, role_ids: roleIds('administrator') }
  const signer = await readSigner((await railyard.admin.post('/api-key-pairs', pair)).body.private_key)
  const token = await signToken(
    signer,
    { scopes: ['*.read', '*.write'], expiresIn: 86_400 },
    railyard.clock.now(),
  )
  const get: Client['get'] = (path) =>
    railyard.send('GET', path, { headers: { authorization: `Bearer ${token}` } })
  return { token, get, signer }
}

/** Only for a token that its key has signed, the answer may say that it has expired or is not valid yet. */
const message = expect.stringMatching(
  /^No valid API authentication found(: the token (has expired|is not valid yet))?$/,
)
const refusal = { type: 'error', code: 'unauthorized', status: 401, message, details: [] }

const kinds = [
  ...algorithms.map((algorithm) => [algorithm, 'command line'] as const),
  ['ES512', 'API'] as const,
  ['RS512', 'API'] as const,
]

describe.each(kinds)('with a key pair of %s from the %s', (algorithm, maker) => {
  test('no hostile token is accepted', async () => {
    const fitting = merchants.filter(({ signer }) => signer.algorithm === algorithm)
    const merchant = maker === 'API' ? fitting[1] : fitting[0]
    const other = merchants.find(({ signer }) => signer.algorithm !== algorithm)
    if (!merchant || !other) throw new Error(`no merchant has a key of ${algorithm}`)
    const { privateKeyPem } = await generateKey(algorithm)
    const stranger = await readSigner(privateKeyPem, algorithm === 'RS256' ? 'RS256' : 'RS512')
    const revoked = await railyard.client({ account: 'default', algorithm })
    await railyard.admin.delete(`/api-key-pairs/${revoked.keyId}`)
    const attacks = attacksOn(merchant, { other: other.signer, stranger, revoked: revoked.signer })
    const tokens = await Promise.all(
      Object.entries(attacks).map(async ([name, token]) => [name, await token] as const),
    )
    expect(tokens.length).toBeGreaterThan(120)

    const before = process.cpuUsage()
    const answers = []
    for (const [name, token] of tokens) {
      const { status, body } = await railyard.send('GET', '/transactions', {
        headers: { authorization: `Bearer ${token}` },
      })
      answers.push({ name, status, body })
    }
    const { user, system } = process.cpuUsage(before)

    expect(answers).toEqual(tokens.map(([name]) => ({ name, status: 401, body: refusal })))
    expect((await merchant.get('/transactions')).status).toBe(200)
    // the goal is 5 ms of CPU a refusal; here the client is in the same process, and the machine may be busy
    expect((user + system) / 1000 / tokens.length).toBeLessThan(50)
  })
})

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Basic YWRtaW46YWRtaW4=',
  'Token x.y.z',
  'Bearer\tx.y.z',
  'x.y.z',
  'Bearer x.y.z trailing',
])('an authorization header %j is refused: it has no token', async (authorization) => {
  const answer = await railyard.send('GET', '/transactions', {
    headers: authorization === undefined ? {} : { authorization },
  })
  expect(answer).toMatchObject({ status: 401, body: refusal })
})

test('a token with a kid of 64 KB is refused before its key is looked up', async () => {
  const token = `${encode({ alg: 'ES256', kid: 'k'.repeat(65_536) })}.${encode({})}.AAAA`
  const answer = await railyard.send('GET', '/transactions', {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer).toMatchObject({
    status: 431,
    body: { type: 'error', code: 'headers_too_large', status: 431 },
  })
})

test('a token of a megabyte is refused before it is read', async () => {
  const answer = await railyard.send('GET', '/transactions', {
    headers: { authorization: `Bearer ${'0'.repeat(1_000_000)}` },
  })
  expect(answer).toMatchObject({
    status: 431,
    body: { type: 'error', code: 'headers_too_large', status: 431 },
  })
})
