import { describe, expect, test } from 'vitest'
import { keyPairsOf } from '../../../test/support/domains/api-key-pairs.ts'
import { roleIds } from '../../../test/support/roles.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const admin = railyard.admin
const { made, bearerOf, lists } = keyPairsOf(railyard, admin)

describe('an existing key pair', () => {
  test('changes in the members that a request sends, and keeps the others', async () => {
    const { account } = await railyard.merchant()
    const { id, private_key: _, ...before } = await made({ merchant_account_ids: [account] })
    const path = `/api-key-pairs/${id}`
    railyard.clock.advance(1_000)
    const renamed = (
      await admin.put(path, {
        display_name: 'Other backend',
        active: null,
        role_ids: null,
        merchant_account_ids: null,
      })
    ).body
    expect(renamed).toEqual({
      ...before,
      id,
      private_key: null,
      display_name: 'Other backend',
      updated_at: expect.any(String),
    })
    expect(renamed.updated_at > before.updated_at).toBe(true)
    expect(renamed.merchant_accounts).toEqual([
      {
        type: 'merchant-account',
        id: account,
        display_name: 'Test merchant',
        over_capture_amount: null,
        over_capture_percentage: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const raised = (await admin.put(path, { role_ids: roleIds('administrator'), merchant_account_ids: [] }))
      .body
    expect(raised).toMatchObject({
      display_name: 'Other backend',
      active: true,
      merchant_accounts: [],
      roles: [{ slug: 'administrator' }],
    })
    expect((await admin.get(path)).body).toEqual(raised)
  })

  test('is refused at once while it is inactive, and works again afterwards', async () => {
    const { id, private_key } = await made()
    expect(await lists(private_key)).toBe(200)
    await admin.put(`/api-key-pairs/${id}`, { active: false })
    expect(await lists(private_key)).toBe(401)
    await admin.put(`/api-key-pairs/${id}`, { active: true })
    expect(await lists(private_key)).toBe(200)
    expect(await lists((await made({ active: false })).private_key)).toBe(401)
  })

  test('loses at once the operations that its new roles and accounts do not open', async () => {
    const { account } = await railyard.merchant()
    const { id, private_key } = await made({ role_ids: roleIds('administrator') })
    const statusOf = async (path: string, headers = {}) =>
      (await railyard.send('GET', path, { headers: { ...(await bearerOf(private_key)), ...headers } })).status
    expect([await statusOf('/roles'), await statusOf('/transactions')]).toEqual([200, 200])
    await admin.put(`/api-key-pairs/${id}`, {
      role_ids: roleIds('processing'),
      merchant_account_ids: [account],
    })
    expect([
      await statusOf('/roles'),
      await statusOf('/transactions'),
      await statusOf('/transactions', { 'x-svc-merchant-account-id': 'default' }),
    ]).toEqual([403, 200, 403])
  })

  test('cannot be used or found again once it is deleted', async () => {
    const { id, private_key } = await made()
    expect(await lists(private_key)).toBe(200)
    expect((await admin.delete(`/api-key-pairs/${id}`)).status).toBe(204)
    expect(await lists(private_key)).toBe(401)
    expect((await admin.get(`/api-key-pairs/${id}`)).status).toBe(404)
    expect((await admin.put(`/api-key-pairs/${id}`, { active: true })).status).toBe(404)
    expect((await admin.delete(`/api-key-pairs/${id}`)).status).toBe(404)
    expect(
      (await admin.get('/api-key-pairs?limit=100')).body.items.map((item: { id: string }) => item.id),
    ).not.toContain(id)
  })

  test('shows when it was last used, to the minute', async () => {
    const { id, private_key } = await made()
    const lastUsed = async () => (await admin.get(`/api-key-pairs/${id}`)).body.last_used_at
    await lists(private_key)
    await expect.poll(lastUsed).not.toBeNull()
    const first = await lastUsed()
    railyard.clock.advance(61_000)
    await lists(private_key)
    await expect.poll(async () => (await lastUsed()) > first).toBe(true)
  })

  test('may deactivate or delete itself', async () => {
    const one = await made({ role_ids: roleIds('administrator') })
    const sends = async (key: string, method: string, id: string, body?: object) =>
      railyard.send(method, `/api-key-pairs/${id}`, {
        headers: { ...(await bearerOf(key)), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect(await sends(one.private_key, 'PUT', one.id, { active: false })).toMatchObject({
      status: 200,
      body: { active: false },
    })
    expect(await lists(one.private_key)).toBe(401)
    const other = await made({ role_ids: roleIds('administrator') })
    expect((await sends(other.private_key, 'DELETE', other.id)).status).toBe(204)
    expect(await lists(other.private_key)).toBe(401)
  })

  test('that the command line made with another algorithm is shown as ECDSA or RSA, without a creator', async () => {
    const kinds = { ES256: 'ECDSA', ES384: 'ECDSA', EdDSA: 'ECDSA', RS256: 'RSA' } as const
    for (const [algorithm, shown] of Object.entries(kinds)) {
      const { keyId } = await railyard.client({
        account: 'default',
        algorithm: algorithm as keyof typeof kinds,
      })
      expect((await admin.get(`/api-key-pairs/${keyId}`)).body).toMatchObject({
        algorithm: shown,
        creator: null,
      })
    }
  })
})
