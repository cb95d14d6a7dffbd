import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { leftOut, startForAudit } from '../../../test/support/checks/audited-operations.ts'
import { requiredHeaders } from '../../../test/support/checks/required-headers.ts'
import { card } from '../../../test/support/railyard.ts'

const { railyard, shop, requests } = await startForAudit()
const { body: document } = await railyard.send('GET', '/openapi.json')
const operations = Object.values<Record<string, { operationId: string; 'x-scopes': string[] }>>(
  document.paths,
)
  .flatMap((item) =>
    Object.entries(item).map(([method, { operationId, 'x-scopes': scopes }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      isPublic: scopes.length === 0,
    })),
  )
  .filter(({ method }) => method !== 'GET')

const entries = () =>
  railyard.world.db.selectFrom('audit_entries').selectAll().orderBy('position').orderBy('id').execute()

/** Runs `work`; answers its result and the entries that it left. */
async function writtenBy<T>(work: () => Promise<T>) {
  const before = new Set((await entries()).map(({ id }) => id))
  const answer = await work()
  return { answer, written: (await entries()).filter(({ id }) => !before.has(id)) }
}

const send = (client: { token: string; account: string }, method: string, path: string, body: unknown) =>
  railyard.send(method, path, {
    headers: {
      authorization: `Bearer ${client.token}`,
      'x-svc-merchant-account-id': client.account,
      ...requiredHeaders(path),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const list = async (query = '', as = shop) => (await as.get(`/audit-logs${query}`)).body

describe('every operation that changes something', () => {
  test('is in the table of audited operations', () => {
    const listed = [...Object.keys(requests), ...Object.keys(leftOut)]
    expect(listed.sort()).toEqual(operations.map(({ id }) => id).sort())
  })

  test('that succeeds leaves exactly the entries of what it changed, and whose key it was', async () => {
    for (const { id, method } of operations) {
      const operation = requests[id]
      if (!operation) continue
      const [path, body] = await operation.request()
      const { answer, written } = await writtenBy(() => send(shop, method, path, body))
      const leaves = Array.isArray(operation.leaves) ? operation.leaves : []
      const left = written.map(({ action, resource_type }) => `${action} ${resource_type}`)
      expect({ id, status: answer.status < 300 ? 'succeeded' : answer.body, left }).toEqual({
        id,
        status: 'succeeded',
        left: leaves,
      })
      for (const { actor_type, actor_id, actor_name } of written)
        expect({ id, actor_type, actor_id, actor_name }).toEqual({
          id,
          actor_type: 'api-key-pair',
          actor_id: shop.keyId,
          actor_name: 'Test',
        })
    }
  })

  test('that is refused leaves none', async () => {
    const stranger = await railyard.client({ account: shop.account, scopes: ['health-dashboard.read'] })
    for (const { id, method } of operations.filter(({ id, isPublic }) => id in requests && !isPublic)) {
      const [path, body] = (await requests[id]?.request()) ?? []
      const { answer, written } = await writtenBy(() => send(stranger, method, path ?? '', body))
      expect({ id, status: answer.status, written }).toEqual({ id, status: 403, written: [] })
    }
  })
})

test('what breaks a rule leaves nothing in the audit log', async () => {
  const external_identifier = randomUUID()
  await shop.post('/buyers', { external_identifier })
  const payment = (await shop.post('/transactions', { amount: 10_00, currency: 'EUR', payment_method: card }))
    .body.id
  const refused = async () => [
    (await shop.post('/buyers', { external_identifier })).status,
    (await shop.put(`/buyers/${randomUUID()}`, { display_name: 'Nobody' })).status,
    (await shop.delete(`/payment-services/${randomUUID()}`)).status,
    (await shop.post(`/transactions/${payment}/capture`, { amount: 10_01 })).status,
    (await shop.post(`/transactions/${payment}/refunds`, {})).status,
    (await shop.put(`/transactions/${payment}`, { captured_amount: 99_00 })).status,
    (await shop.post('/merchant-accounts', { id: shop.account, display_name: 'Taken' })).status,
  ]
  const { answer, written } = await writtenBy(refused)
  expect(answer).toEqual([409, 404, 404, 400, 400, 400, 409])
  expect(written).toEqual([])
})

test('a request that is repeated with its idempotency key leaves one entry', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const payment = { amount: 10_00, currency: 'EUR', payment_method: card, intent: 'capture' }
  const first = await shop.post('/transactions', payment, key)
  const refund = { 'idempotency-key': randomUUID() }
  const { written } = await writtenBy(async () => {
    await shop.post('/transactions', payment, key)
    await shop.post(`/transactions/${first.body.id}/refunds`, {}, refund)
    await shop.post(`/transactions/${first.body.id}/refunds`, {}, refund)
  })
  expect(written).toMatchObject([{ action: 'created', resource_type: 'refund' }])
})

test('recovery leaves no entry: a process acts, not a person or a key pair', async () => {
  const pending = await shop.post('/transactions', { amount: 540_001, currency: 'EUR', payment_method: card })
  const { written } = await writtenBy(async () => {
    railyard.clock.advance(3_600_000)
    await railyard.recovery.runOnce()
  })
  expect((await shop.get(`/transactions/${pending.body.id}`)).body.status).toBe('authorization_succeeded')
  expect(written).toEqual([])
})

describe('the list of audit log entries', () => {
  test('shows who changed what, the newest first', async () => {
    const external_identifier = randomUUID()
    const { id } = (await shop.post('/buyers', { external_identifier, display_name: 'Ada Lovelace' })).body
    await shop.put(`/buyers/${id}`, { display_name: 'Ada King' })
    const { items } = await list('?limit=2')
    const user = {
      type: 'user',
      id: shop.keyId,
      name: 'Test',
      email_address: null,
      is_staff: false,
      status: 'active',
    }
    const resource = { type: 'buyer', id, name: id }
    const entry = {
      type: 'audit-log',
      id: expect.any(String),
      merchant_account_id: shop.account,
      resource,
      user,
      timestamp: expect.any(String),
    }
    expect(items).toEqual([
      { ...entry, action: 'updated' },
      { ...entry, action: 'created' },
    ])
    // the log is never erased, so it holds neither a buyer's name nor the merchant's identifier of them
    expect(JSON.stringify(await entries())).not.toMatch(new RegExp(`Ada|${external_identifier}`))
  })

  test('is read page by page, forwards and back', async () => {
    const all = (await list('?limit=100')).items
    const first = await list('?limit=3')
    const second = await list(`?limit=3&cursor=${first.next_cursor}`)
    expect([...first.items, ...second.items]).toEqual(all.slice(0, 6))
    expect((await list(`?limit=3&cursor=${second.previous_cursor}`)).items).toEqual(first.items)
    expect(await shop.get(`/audit-logs?resource_type=buyer&cursor=${first.next_cursor}`)).toMatchObject({
      status: 400,
    })
  })

  test('is filtered by action, by actor, and by the type of resource', async () => {
    const other = await railyard.client({ account: shop.account })
    const { id } = (await other.post('/buyers', {})).body
    await other.delete(`/buyers/${id}`)
    expect((await list(`?user_id=${other.keyId}`)).items).toMatchObject([
      { action: 'deleted' },
      { action: 'created' },
    ])
    expect((await list(`?user_id=${other.keyId}&action=deleted`)).items).toMatchObject([
      { resource: { type: 'buyer', id, name: id } },
    ])
    expect((await list(`?user_id=${other.keyId}&resource_type=refund`)).items).toEqual([])
    expect(
      new Set(
        (await list('?resource_type=payment-service')).items.map(
          (item: { resource: { type: string } }) => item.resource.type,
        ),
      ),
    ).toEqual(new Set(['payment-service']))
    expect(await shop.get('/audit-logs?action=renamed')).toMatchObject({ status: 422 })
    expect(await shop.get('/audit-logs?user_id=me')).toMatchObject({ status: 422 })
  })

  test('needs its scope, and shows nothing of another account', async () => {
    const stranger = await railyard.client({ account: shop.account, scopes: ['buyers.read'] })
    expect((await stranger.get('/audit-logs')).status).toBe(403)
    const other = await railyard.merchant()
    const shown = (await other.get('/audit-logs')).body.items
    expect(shown.length).toBeGreaterThan(0)
    expect(
      shown.every((item: { merchant_account_id: string }) => item.merchant_account_id === other.account),
    ).toBe(true)
  })
})
