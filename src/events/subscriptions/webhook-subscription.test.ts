import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  at,
  basic,
  client,
  createSubscription,
  type Merchant,
  refusalOf,
  subscriptionsOf,
  url,
} from '../../../test/support/domains/webhook-subscriptions.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { runAsRequest } from '../../api/request/request-context.ts'
import { insertWebhookSubscription } from './webhook-subscription.store.ts'

const railyard = await startRailyardForFile()
const { createInstanceSubscription, endpoint, secretsOf } = subscriptionsOf(railyard)

describe('a webhook subscription', () => {
  test('a new subscription is active, has a secret of its own, and is read as it was answered', async () => {
    const merchant = await railyard.merchant()
    const created = await createSubscription(merchant)
    expect(created).toEqual({
      type: 'webhook-subscription',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      merchant_account_id: merchant.account,
      active: true,
      url,
      authentication: null,
      secret: expect.stringMatching(/^[\w-]{86}$/),
      rotating: false,
      creator: null,
    })
    expect((await merchant.get(at(created.id))).body).toEqual(created)
    expect((await createSubscription(merchant)).secret).not.toBe(created.secret)
    expect(await endpoint(created.id)).toEqual({
      id: created.id,
      account: merchant.account,
      url,
      secrets: [created.secret],
      authentication: null,
    })
  })

  test('a subscription names the person who created it', async () => {
    const person = { type: 'user', id: randomUUID(), name: 'Ada', emailAddress: 'ada@example.com' } as const
    const merchant = await railyard.merchant()
    const row = await runAsRequest({ id: 'r', actor: person }, () =>
      insertWebhookSubscription(railyard.world, {
        account: merchant.account,
        url,
        active: true,
        authentication: null,
        creator: { id: person.id, name: person.name, email_address: person.emailAddress },
      }),
    )
    expect((await merchant.get(at(row.id))).body.creator).toEqual({
      id: person.id,
      name: 'Ada',
      email_address: 'ada@example.com',
    })
  })

  test('the subscriptions of an account are listed in pages, the newest first', async () => {
    const merchant = await railyard.merchant()
    const made = [
      await createSubscription(merchant),
      await createSubscription(merchant),
      await createSubscription(merchant),
    ].toReversed()
    expect((await merchant.get('/webhook-subscriptions')).body).toEqual({
      items: made,
      limit: 20,
      next_cursor: null,
      previous_cursor: null,
    })
    const first = (await merchant.get('/webhook-subscriptions?limit=2')).body
    const second = (await merchant.get(`/webhook-subscriptions?limit=2&cursor=${first.next_cursor}`)).body
    expect([...first.items, ...second.items]).toEqual(made)
    expect(
      (await merchant.get(`/webhook-subscriptions?limit=2&cursor=${second.previous_cursor}`)).body.items,
    ).toEqual(first.items)
    const other = await railyard.merchant()
    expect((await other.get(`/webhook-subscriptions?cursor=${first.next_cursor}`)).status).toBe(400)
  })

  test('an update changes the members that it names; null leaves url and active as they are', async () => {
    const merchant = await railyard.merchant()
    const created = await createSubscription(merchant, { authentication: basic })
    const moved = await merchant.put(at(created.id), { url: 'https://shop.example/other', active: null })
    expect(moved).toMatchObject({ status: 200, body: { ...created, url: 'https://shop.example/other' } })
    expect((await merchant.put(at(created.id), { active: false, url: null })).body).toEqual({
      ...moved.body,
      active: false,
    })
    expect(await endpoint(created.id)).toBeUndefined()
  })

  test('a deleted subscription is a 404, not in the list, and not found by the sender', async () => {
    const merchant = await railyard.merchant()
    const { id } = await createSubscription(merchant)
    expect(await merchant.delete(at(id))).toMatchObject({ status: 204, body: undefined })
    expect((await merchant.delete(at(id))).status).toBe(404)
    expect((await merchant.get(at(id))).status).toBe(404)
    expect((await merchant.put(at(id), { active: true })).status).toBe(404)
    expect((await merchant.post(`${at(id)}/rotate-secret`, {})).status).toBe(404)
    expect((await merchant.get('/webhook-subscriptions')).body.items).toEqual([])
    expect(await endpoint(id)).toBeUndefined()
  })

  test('a subscription that becomes active again begins with the next event, without a pause', async () => {
    const merchant = await railyard.merchant()
    const { id } = await createSubscription(merchant)
    const { db } = railyard.world
    const queue = () =>
      db
        .selectFrom('webhook_queues')
        .selectAll()
        .where('webhook_subscription_id', '=', id)
        .executeTakeFirstOrThrow()
    const before = await queue()
    await merchant.put(at(id), { active: false })
    await merchant.post('/buyers', {})
    const [{ position } = { position: 0 }] = await db
      .selectFrom('events')
      .select('position')
      .where('merchant_account_id', '=', merchant.account)
      .execute()
    await db
      .updateTable('webhook_queues')
      .set({ failures: 7, resume_at: '2999-01-01', failing_since: '2020-01-01' })
      .where('webhook_subscription_id', '=', id)
      .execute()
    await merchant.put(at(id), { active: true })
    const after = await queue()
    expect(before.position).toBeLessThanOrEqual(position)
    expect(after.position).toBeGreaterThan(position)
    expect(after).toMatchObject({ failures: 0, failing_since: null, resume_at: before.resume_at })
    await merchant.post('/buyers', {})
    await merchant.put(at(id), { active: true })
    expect((await queue()).position).toBe(after.position)
  })

  test('the audit log has an entry for each change of a subscription', async () => {
    const merchant = await railyard.merchant()
    const { id } = await createSubscription(merchant)
    await merchant.put(at(id), { active: false })
    await merchant.post(`${at(id)}/rotate-secret`, { delta: 5 })
    await merchant.delete(at(id))
    const entries = await railyard.world.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('resource_id', '=', id)
      .orderBy('position')
      .execute()
    expect(entries.map(({ action }) => action)).toEqual(['created', 'updated', 'updated', 'deleted'])
    for (const entry of entries)
      expect(entry).toMatchObject({
        merchant_account_id: merchant.account,
        resource_type: 'webhook-subscription',
        resource_name: url,
        actor_type: 'api-key-pair',
        actor_name: 'Test',
      })
  })
})

describe('the URL of a webhook subscription', () => {
  test.each([
    'http://shop.example/hook',
    'ftp://shop.example',
    'shop.example',
    '/hook',
    'https://',
    'https://me:pw@shop.example',
    'https://shop.example/#part',
    '',
  ])('%s is refused as a URL for events and for tokens', async (odd) => {
    const merchant = await railyard.merchant()
    expect(refusalOf(await merchant.post('/webhook-subscriptions', { url: odd }))).toEqual([400, ['/url']])
    const { id } = await createSubscription(merchant)
    expect(refusalOf(await merchant.put(at(id), { url: odd }))).toEqual([400, ['/url']])
    const authentication = { ...client, token_url: odd }
    expect(refusalOf(await merchant.put(at(id), { authentication }))).toEqual([
      400,
      ['/authentication/token_url'],
    ])
    expect((await merchant.get(at(id))).body).toMatchObject({ url, authentication: null })
  })

  test.each([
    'http://localhost:3000/hook',
    'http://127.0.0.1:3000',
    'http://[::1]:3000/hook?a=b',
    'https://shop.example:8443/hook?key=1',
  ])('%s is accepted as a URL in the sandbox', async (fine) => {
    const merchant = await railyard.merchant()
    expect((await createSubscription(merchant, { url: fine })).url).toBe(fine)
  })
})

describe('rotating the signing secret', () => {
  const minutes = (count: number) => count * 60_000

  test.each([{}, { delta: null }, { delta: 0 }])(
    'rotating with %j ends the old secret at once',
    async (body) => {
      const merchant = await railyard.merchant()
      const created = await createSubscription(merchant)
      const { status, body: rotated } = await merchant.post(`${at(created.id)}/rotate-secret`, body)
      expect({ status, rotated }).toEqual({
        status: 200,
        rotated: { ...created, secret: expect.stringMatching(/^[\w-]{86}$/) },
      })
      expect(rotated.secret).not.toBe(created.secret)
      expect(await secretsOf(created.id)).toEqual([rotated.secret])
    },
  )

  test('with a delta both secrets sign until it ends; rotating again replaces the older one', async () => {
    const merchant = await railyard.merchant()
    const first = await createSubscription(merchant)
    const rotate = async (delta: number) =>
      (await merchant.post(`${at(first.id)}/rotate-secret`, { delta })).body
    const second = await rotate(10)
    expect(second).toEqual({ ...first, secret: second.secret, rotating: true })
    expect(await secretsOf(first.id)).toEqual([second.secret, first.secret])
    railyard.clock.advance(minutes(9))
    const third = await rotate(10)
    expect(await secretsOf(first.id)).toEqual([third.secret, second.secret])
    railyard.clock.advance(minutes(9))
    expect((await merchant.get(at(first.id))).body).toEqual(third)
    railyard.clock.advance(minutes(1))
    expect((await merchant.get(at(first.id))).body).toEqual({ ...third, rotating: false })
    expect(await secretsOf(first.id)).toEqual([third.secret])
  })

  test('a delta that is no whole number of minutes up to a year is refused', async () => {
    const merchant = await railyard.merchant()
    const { id } = await createSubscription(merchant)
    for (const delta of [-1, 1.5, '5'])
      expect((await merchant.post(`${at(id)}/rotate-secret`, { delta })).status).toBe(422)
    expect(
      refusalOf(await merchant.post(`${at(id)}/rotate-secret`, { delta: Number.MAX_SAFE_INTEGER })),
    ).toEqual([400, ['/delta']])
  })

  test('two rotations at once leave the two new secrets, in some order', async () => {
    const merchant = await railyard.merchant()
    const { id } = await createSubscription(merchant)
    const answers = await Promise.all(
      [1, 2].map(() => merchant.post(`${at(id)}/rotate-secret`, { delta: 5 })),
    )
    const made = answers.map(({ body }) => body.secret)
    expect((await secretsOf(id))?.toSorted()).toEqual(made.toSorted())
  })
})

describe('a subscription of the whole instance', () => {
  test('a subscription of the instance is seen and changed by callers that are not limited to accounts, and is a 404 for the others', async () => {
    const { id } = await createInstanceSubscription()
    const merchant = await railyard.merchant()
    const ids = async (client: { get: Merchant['get'] }) =>
      (await client.get('/webhook-subscriptions?limit=100')).body.items.map((item: { id: string }) => item.id)
    expect((await railyard.admin.get(at(id))).body).toMatchObject({
      id,
      merchant_account_id: null,
      creator: null,
    })
    expect(await ids(railyard.admin)).toContain(id)
    expect(await ids(merchant)).not.toContain(id)
    const requestsOf = (client: Pick<Merchant, 'get' | 'put' | 'post' | 'delete'>) => [
      client.get(at(id)),
      client.put(at(id), { active: true }),
      client.post(`${at(id)}/rotate-secret`, {}),
      client.delete(at(id)),
    ]
    for (const answer of requestsOf(merchant)) expect((await answer).status).toBe(404)
    const constrained = await railyard.client({
      account: merchant.account,
      embed: { merchant_account_id: merchant.account },
    })
    for (const answer of requestsOf(constrained)) expect((await answer).status).toBe(404)
    const rotated = await railyard.admin.post(`${at(id)}/rotate-secret`, { delta: 1 })
    expect(rotated.body).toMatchObject({ rotating: true })
    expect((await railyard.admin.put(at(id), { active: false })).body).toMatchObject({
      active: false,
      merchant_account_id: null,
    })
    expect((await railyard.admin.delete(at(id))).status).toBe(204)
    const entries = await railyard.world.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('resource_id', '=', id)
      .execute()
    expect(new Set(entries.map((entry) => entry.merchant_account_id))).toEqual(new Set(['default']))
  })
})
