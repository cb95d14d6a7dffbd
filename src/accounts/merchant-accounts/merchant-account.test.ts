import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const newId = () => `shop-${randomUUID()}`
const updater = {
  account_updater_request_encryption_key: 'request key',
  account_updater_request_encryption_key_id: 'request id',
  account_updater_response_decryption_key: 'response key',
  account_updater_response_decryption_key_id: 'response id',
}

test('an account is created with defaults and read back', async () => {
  const id = newId()
  const created = await railyard.admin.post('/merchant-accounts', { id, display_name: 'Shop' })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    type: 'merchant-account',
    id,
    display_name: 'Shop',
    account_updater_enabled: false,
    async_network_tokens_enabled: false,
    over_capture_amount: null,
    loon_secret_key: null,
  })
  expect(await railyard.admin.get(`/merchant-accounts/${id}`)).toMatchObject({
    status: 200,
    body: created.body,
  })
})

test('an id is taken once, also by two requests at the same time', async () => {
  const id = newId()
  const answers = await Promise.all(
    [1, 2].map((name) => railyard.admin.post('/merchant-accounts', { id, display_name: `Shop ${name}` })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'duplicate_record',
    resource_id: id,
  })
})

test('a wrong shape is a 422, and a broken rule a 400 that names the member', async () => {
  expect(
    (await railyard.admin.post('/merchant-accounts', { id: 'no spaces', display_name: 'Shop' })).status,
  ).toBe(422)
  const answer = await railyard.admin.post('/merchant-accounts', {
    id: newId(),
    display_name: 'Shop',
    visa_network_tokens_app_id: 'a',
  })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'bad_request',
      details: [{ location: 'body', pointer: '/visa_network_tokens_requestor_id' }],
    },
  })
})

test('an update changes the settings that it sends, and null clears one', async () => {
  const id = newId()
  await railyard.admin.post('/merchant-accounts', {
    id,
    display_name: 'Shop',
    over_capture_amount: 500,
    account_updater_enabled: true,
  })
  const updated = await railyard.admin.put(`/merchant-accounts/${id}`, {
    over_capture_percentage: 10,
    over_capture_amount: null,
  })
  expect(updated).toMatchObject({
    status: 200,
    body: {
      display_name: 'Shop',
      over_capture_amount: null,
      over_capture_percentage: 10,
      account_updater_enabled: true,
    },
  })
})

test('secrets are never answered, and a mask that is sent back leaves the secret', async () => {
  const id = newId()
  const created = await railyard.admin.post('/merchant-accounts', { id, display_name: 'Shop', ...updater })
  expect(created.body).toMatchObject({
    account_updater_request_encryption_key: '********',
    account_updater_request_encryption_key_id: 'request id',
  })
  expect(JSON.stringify(created.body)).not.toContain('response key')
  const { type: _, id: __, created_at, updated_at, ...settings } = created.body
  expect(
    await railyard.admin.put(`/merchant-accounts/${id}`, { ...settings, display_name: 'Store' }),
  ).toMatchObject({
    status: 200,
    body: { display_name: 'Store', account_updater_response_decryption_key: '********' },
  })
  expect(
    (await railyard.admin.put(`/merchant-accounts/${id}`, { account_updater_request_encryption_key: null }))
      .status,
  ).toBe(400)
})

test('a network token identifier belongs to one account, until that account gives it up', async () => {
  const [first, second, identifier] = [newId(), newId(), randomUUID()]
  const ids = {
    visa_network_tokens_requestor_id: identifier,
    visa_network_tokens_app_id: `${identifier}-app`,
  }
  await railyard.admin.post('/merchant-accounts', { id: first, display_name: 'First', ...ids })
  const refused = await railyard.admin.post('/merchant-accounts', {
    id: second,
    display_name: 'Second',
    ...ids,
  })
  expect(refused.status).toBe(400)
  expect(refused.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '/visa_network_tokens_requestor_id',
    '/visa_network_tokens_app_id',
  ])
  expect((await railyard.admin.get(`/merchant-accounts/${second}`)).status).toBe(404)
  await railyard.admin.put(`/merchant-accounts/${first}`, {
    visa_network_tokens_requestor_id: null,
    visa_network_tokens_app_id: null,
  })
  expect(
    (await railyard.admin.post('/merchant-accounts', { id: second, display_name: 'Second', ...ids })).status,
  ).toBe(201)
})

test('an update that the database ends with a deadlock is retried, and answered 503 if the retries fail, too', async () => {
  const { id } = (await railyard.admin.post('/merchant-accounts', { id: newId(), display_name: 'Shop' })).body
  const { run } = railyard.world
  const attempts = async () =>
    (await run<{ count: number }>(`select nextval('attempts') - 1 as count`, []))[0]?.count
  const rename = async (deadlocks: number) => {
    await run('alter sequence attempts restart', [])
    // on Citus each node calls it, and one has the sequence
    await run(
      `create or replace function announce_change() returns trigger language plpgsql as $$ begin
         if to_regclass('attempts') is not null then
           if nextval('attempts') <= ${deadlocks} then raise exception using errcode = '40P01'; end if;
         end if;
         return null; end $$`,
      [],
    )
    return railyard.admin.put(`/merchant-accounts/${id}`, { display_name: `After ${deadlocks}` })
  }
  await run('create sequence attempts', [])
  const [announce] = await run<{ definition: string }>(
    `select pg_get_functiondef('announce_change'::regproc) as definition`,
    [],
  )
  try {
    expect(await rename(2)).toMatchObject({ status: 200, body: { display_name: 'After 2' } })
    expect(await attempts()).toBe(3)
    const unavailable = await rename(1_000)
    expect(unavailable).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
    expect(unavailable.headers.get('retry-after')).toBe('2')
  } finally {
    await run(announce?.definition ?? '', [])
  }
})

test('the list is searched by part of the id or name, newest first, page by page', async () => {
  const name = randomUUID()
  const ids = [newId(), newId(), newId()]
  for (const id of ids)
    await railyard.admin.post('/merchant-accounts', { id, display_name: `The ${name} 100%` })
  const path = `/merchant-accounts?search=${name.toUpperCase()}&limit=2`
  const first = await railyard.admin.get(path)
  expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
  expect(first.body.previous_cursor).toBeNull()
  const second = await railyard.admin.get(`${path}&cursor=${first.body.next_cursor}`)
  expect(second.body.items.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
  expect(second.body.next_cursor).toBeNull()
  const back = await railyard.admin.get(`${path}&cursor=${second.body.previous_cursor}`)
  expect(back.body.items).toEqual(first.body.items)
  expect((await railyard.admin.get(`/merchant-accounts?cursor=${first.body.next_cursor}`)).status).toBe(400)
})

test('a percent sign is searched for, and is not a wildcard', async () => {
  const name = randomUUID()
  await railyard.admin.post('/merchant-accounts', { id: newId(), display_name: `${name} 5% off` })
  const count = async (search: string) =>
    (await railyard.admin.get(`/merchant-accounts?search=${encodeURIComponent(search)}`)).body.items.length
  expect(await count(`${name} 5%`)).toBe(1)
  expect(await count(`${name}%off`)).toBe(0)
})

test('a limited key sees its own accounts only and creates none', async () => {
  const id = newId()
  await railyard.admin.post('/merchant-accounts', { id, display_name: 'Shop' })
  const limited = await railyard.merchant({ merchantAccountIds: [id] })
  const { body } = await limited.get('/merchant-accounts')
  expect(body.items.map((account: { id: string }) => account.id)).toEqual([id])
  expect((await limited.get(`/merchant-accounts/${id}`)).status).toBe(200)
  expect((await limited.get('/merchant-accounts/default')).status).toBe(404)
  expect((await limited.put('/merchant-accounts/default', { display_name: 'Mine' })).status).toBe(404)
  expect((await limited.post('/merchant-accounts', { id: newId(), display_name: 'Another' })).status).toBe(
    403,
  )
})

test('reading and writing need their scopes', async () => {
  const reader = await railyard.client({ account: 'default', scopes: ['merchant-accounts.read'] })
  expect((await reader.get('/merchant-accounts')).status).toBe(200)
  expect((await reader.post('/merchant-accounts', { id: newId(), display_name: 'Shop' })).status).toBe(403)
})
