import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keyPairsOf, pair, pem, publicKey } from '../../../test/support/domains/api-key-pairs.ts'
import { readEvents } from '../../../test/support/events.ts'
import { card } from '../../../test/support/railyard.ts'
import { roleIds } from '../../../test/support/roles.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { readSigner } from './private-key.ts'

const railyard = await startRailyardForFile()
const admin = railyard.admin
const { made, bearerOf, lists } = keyPairsOf(railyard, admin)

describe('a key pair that Railyard makes', () => {
  test.each([
    ['ECDSA', 'ES512', { crv: 'P-521' }],
    ['RSA', 'RS512', { kty: 'RSA' }],
  ])('with the algorithm %s signs tokens with %s that pay', async (algorithm, signs, form) => {
    const body = await made({ algorithm })
    const signer = await readSigner(body.private_key)
    expect(signer).toMatchObject({ algorithm: signs, thumbprint: body.thumbprint, publicJwk: form })
    if (algorithm === 'RSA')
      expect(createPrivateKey(body.private_key).asymmetricKeyDetails?.modulusLength).toBe(3072)
    const paid = await railyard.send('POST', '/transactions', {
      headers: { ...(await bearerOf(body.private_key)), 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 12_99, currency: 'EUR', payment_method: card }),
    })
    expect(paid).toMatchObject({ status: 201, body: { status: 'authorization_succeeded' } })
  })

  test('shows everything about it, and the private key this once', async () => {
    const { private_key, ...body } = await made()
    const [role] = (await admin.get('/roles')).body.items.filter(
      ({ slug }: { slug: string }) => slug === 'processing',
    )
    expect(body).toEqual({
      type: 'api-key-pair',
      id: expect.any(String),
      thumbprint: expect.stringMatching(/^[\w-]{43}$/),
      display_name: 'Shop backend',
      algorithm: 'ECDSA',
      active: true,
      creator: {
        id: expect.any(String),
        name: 'Test',
        email_address: null,
        thumbprint: expect.stringMatching(/^[\w-]{43}$/),
      },
      merchant_accounts: [],
      merchant_account_required: false,
      roles: [role],
      last_used_at: null,
      created_at: expect.any(String),
      updated_at: body.created_at,
    })
    expect(private_key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect((await admin.get(`/api-key-pairs/${body.id}`)).body).toEqual({ ...body, private_key: null })
    expect((await admin.get('/api-key-pairs')).body.items[0]).toEqual({ ...body, private_key: null })
  })

  test('leaves its private key in no log, event or audit entry, and a repeated idempotency key does not answer it again', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await admin.post('/api-key-pairs', pair(), headers)
    expect(first.headers.get('cache-control')).toBe('no-store')
    const second = await admin.post('/api-key-pairs', pair(), headers)
    expect(second.body.id).not.toBe(first.body.id)
    await admin.put(`/api-key-pairs/${first.body.id}`, { display_name: 'Renamed' })
    const stored = await Promise.all(
      (['events', 'audit_entries', 'idempotency_keys', 'api_key_pairs'] as const).map((table) =>
        railyard.world.db.selectFrom(table).selectAll().execute(),
      ),
    )
    const everything = JSON.stringify([stored, railyard.logged, (await admin.get('/events')).body])
    expect(everything).toContain(first.body.thumbprint)
    expect(everything).not.toContain('PRIVATE KEY')
    for (const line of first.body.private_key.split('\n').slice(1, -2)) expect(everything).not.toContain(line)
  })
})

describe('a public key in the request', () => {
  test('is stored, and no private key is answered', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' })
    const { id, private_key } = await made({ public_key: pem(publicKey) })
    expect(private_key).toBeNull()
    expect(await lists(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toBe(200)
    expect((await admin.get(`/api-key-pairs/${id}`)).body.algorithm).toBe('ECDSA')
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await made({ algorithm: 'RSA', public_key: pem(rsa.publicKey) })
    expect(await lists(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toBe(200)
  })

  const rsa = (modulusLength: number, publicExponent = 65_537) =>
    pem(generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey)
  test.each<[name: string, key: () => unknown, algorithm: string]>([
    ['nothing', () => '', 'ECDSA'],
    ['no PEM', () => 'key', 'ECDSA'],
    ['a PEM of nothing', () => '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', 'ECDSA'],
    [
      'a private key',
      () =>
        generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({
          type: 'pkcs8',
          format: 'pem',
        }),
      'ECDSA',
    ],
    [
      'an older RSA form',
      () =>
        generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
          type: 'pkcs1',
          format: 'pem',
        }),
      'RSA',
    ],
    ['a key on P-256', () => publicKey('P-256'), 'ECDSA'],
    ['a key on secp256k1', () => publicKey('secp256k1'), 'ECDSA'],
    ['a key of Ed25519', () => pem(generateKeyPairSync('ed25519').publicKey), 'ECDSA'],
    ['an RSA key where ECDSA is asked for', () => rsa(2048), 'ECDSA'],
    ['a key on P-521 where RSA is asked for', () => publicKey(), 'RSA'],
    ['an RSA key of 1024 bits', () => rsa(1024), 'RSA'],
    ['an RSA key whose exponent is 3', () => rsa(2048, 3), 'RSA'],
    ['an RSA-PSS key', () => pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey), 'RSA'],
    ['two keys', () => `${publicKey()}${publicKey()}`, 'ECDSA'],
  ])('is refused when it is %s', async (_name, key, algorithm) => {
    const answer = await admin.post('/api-key-pairs', pair({ algorithm, public_key: key() }))
    expect(answer).toMatchObject(invalidFields('/public_key'))
    expect(JSON.stringify(answer.body)).not.toContain('MI')
  })

  test('belongs to one key pair, also when several requests race for it, until that pair is deleted', async () => {
    const public_key = publicKey()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => admin.post('/api-key-pairs', pair({ public_key }))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const { id } = answers.find(({ status }) => status === 201)?.body ?? {}
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toMatchObject({ code: 'duplicate_record', resource_id: id })
    await admin.put(`/api-key-pairs/${id}`, { active: false })
    expect((await admin.post('/api-key-pairs', pair({ public_key }))).status).toBe(409)
    await admin.delete(`/api-key-pairs/${id}`)
    expect((await made({ public_key })).id).not.toBe(id)
  })
})

test('the list of key pairs is read page by page, newest first, and back', async () => {
  const ids = []
  for (let count = 0; count < 5; count++) ids.unshift((await made()).id)
  const first = (await admin.get('/api-key-pairs?limit=2')).body
  const second = (await admin.get(`/api-key-pairs?limit=2&cursor=${first.next_cursor}`)).body
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.slice(0, 4))
  expect((await admin.get(`/api-key-pairs?limit=2&cursor=${second.previous_cursor}`)).body).toEqual(first)
})

describe('a request for a key pair', () => {
  test('is refused with roles that do not exist, are not for key pairs, or open more than the caller may do', async () => {
    expect(await admin.post('/api-key-pairs', pair({ role_ids: [randomUUID()] }))).toMatchObject(
      invalidFields('/role_ids/0'),
    )
    expect(
      await admin.post('/api-key-pairs', pair({ role_ids: roleIds('processing', 'analyst') })),
    ).toMatchObject(invalidFields('/role_ids/1'))
    expect((await admin.post('/api-key-pairs', pair({ role_ids: [] }))).status).toBe(422)
    expect((await admin.post('/api-key-pairs', pair({ role_ids: ['administrator'] }))).status).toBe(422)
    const narrow = await railyard.client({ account: 'default', scopes: ['*.read', 'api-key-pairs.write'] })
    expect(await narrow.post('/api-key-pairs', pair())).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    const weak = await made()
    expect(
      (await narrow.put(`/api-key-pairs/${weak.id}`, { role_ids: roleIds('administrator') })).status,
    ).toBe(403)
    expect((await admin.get(`/api-key-pairs/${weak.id}`)).body.roles).toHaveLength(1)
  })

  test('is refused with merchant accounts that do not exist', async () => {
    expect(
      await admin.post('/api-key-pairs', pair({ merchant_account_ids: ['default', 'nobody'] })),
    ).toMatchObject(invalidFields('/merchant_account_ids/1'))
    const { id } = await made()
    expect(await admin.put(`/api-key-pairs/${id}`, { merchant_account_ids: ['nobody'] })).toMatchObject(
      invalidFields('/merchant_account_ids/0'),
    )
  })

  test('of a caller that is limited to some merchant accounts gives those only, and finds no key pair that reaches further', async () => {
    const [north, south] = [await railyard.merchant(), await railyard.merchant()]
    const limited = await railyard.client({
      account: north.account,
      merchantAccountIds: [north.account, south.account],
    })
    for (const merchant_account_ids of [[], ['default'], [north.account, 'default'], ['nobody']])
      expect((await limited.post('/api-key-pairs', pair({ merchant_account_ids }))).status).toBe(403)
    expect((await limited.post('/api-key-pairs', pair())).status).toBe(403)
    const own = await made({ merchant_account_ids: [north.account] }, limited)
    const unlimited = await made()
    const wider = await made({ merchant_account_ids: [north.account, 'default'] })

    const seen = (await limited.get('/api-key-pairs?limit=100')).body.items
    for (const { merchant_accounts } of seen) {
      expect(merchant_accounts.length).toBeGreaterThan(0)
      for (const { id } of merchant_accounts) expect([north.account, south.account]).toContain(id)
    }
    const ids = seen.map(({ id }: { id: string }) => id)
    expect(ids).toContain(own.id)
    for (const { id } of [unlimited, wider]) {
      expect(ids).not.toContain(id)
      expect((await limited.get(`/api-key-pairs/${id}`)).status).toBe(404)
      expect((await limited.put(`/api-key-pairs/${id}`, { active: false })).status).toBe(404)
      expect((await limited.delete(`/api-key-pairs/${id}`)).status).toBe(404)
    }
    expect((await limited.put(`/api-key-pairs/${own.id}`, { merchant_account_ids: [] })).status).toBe(403)
    expect(
      (await limited.put(`/api-key-pairs/${own.id}`, { merchant_account_ids: [south.account] })).status,
    ).toBe(200)
    expect((await limited.delete(`/api-key-pairs/${own.id}`)).status).toBe(204)
  })
})

test('each change of a key pair is an event without the private key, and an audit entry that names the actor', async () => {
  const by = await railyard.client({ account: 'default' })
  const { id, thumbprint, private_key: _, ...rest } = await made({}, by)
  await by.put(`/api-key-pairs/${id}`, { display_name: 'Renamed', role_ids: roleIds('processing') })
  await by.put(`/api-key-pairs/${id}`, { role_ids: roleIds('administrator') })
  expect((await by.put(`/api-key-pairs/${id}`, { role_ids: [randomUUID()] })).status).toBe(400)
  await by.delete(`/api-key-pairs/${id}`)

  const own = (await readEvents(railyard, admin)).filter(({ target }) => target.id === id)
  expect(own).toMatchObject([
    { name: 'api-key-pair.created', sequence: 1, merchant_account_id: 'default' },
    {
      name: 'api-key-pair.updated',
      sequence: 2,
      target: { display_name: 'Renamed', roles: [{ slug: 'processing' }] },
    },
    { name: 'api-key-pair.updated', sequence: 3, target: { roles: [{ slug: 'administrator' }] } },
    { name: 'api-key-pair.deleted', sequence: 4 },
  ])
  expect(own[0]?.target).toEqual({ ...rest, id, thumbprint })

  const entries = await railyard.world.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('resource_id', '=', id)
    .orderBy('id')
    .execute()
  expect(
    entries.map(({ action, resource_type, resource_name }) => [action, resource_type, resource_name]),
  ).toEqual([
    ['created', 'api-key-pair', 'Shop backend'],
    ['updated', 'api-key-pair', 'Renamed'],
    ['updated', 'api-key-pair', 'Renamed'],
    ['updated', 'role-assignment', 'Renamed'],
    ['deleted', 'api-key-pair', 'Renamed'],
  ])
  for (const entry of entries)
    expect(entry).toMatchObject({
      merchant_account_id: 'default',
      actor_type: 'api-key-pair',
      actor_id: by.keyId,
    })
})

test('a thumbprint is that of RFC 7638, also if a coordinate begins with zeros', async () => {
  const firstByteOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')[0]
  let key = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey
  while (firstByteOf(key) !== 0) key = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey
  const { crv, kty, x, y } = createPublicKey(pem(key)).export({ format: 'jwk' })
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(JSON.stringify({ crv, kty, x, y })))
  expect((await made({ public_key: pem(key) })).thumbprint).toBe(Buffer.from(digest).toString('base64url'))
})
