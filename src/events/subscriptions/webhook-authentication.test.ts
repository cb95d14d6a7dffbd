import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  at,
  basic,
  client,
  createSubscription,
  refusalOf,
  subscriptionsOf,
  url,
} from '../../../test/support/domains/webhook-subscriptions.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const { endpoint } = subscriptionsOf(railyard)

describe('the authentication of a webhook subscription', () => {
  const kinds = [
    ['basic', basic, { ...basic, password: '********' }],
    ['oauth_client_credentials', client, { ...client, client_secret: '********', scope: null }],
    [
      'oauth_password',
      { ...client, scope: 'hooks', username: 'shop', password: 'p' },
      { ...client, scope: 'hooks', username: 'shop', client_secret: '********', password: '********' },
    ],
  ] as const

  test.each(kinds)(
    '%s is shown with its secrets masked, and a mask that is sent back keeps the stored secret',
    async (kind, given, shown) => {
      const merchant = await railyard.merchant()
      const created = await createSubscription(merchant, { authentication: given })
      expect(created.authentication).toEqual({ type: 'webhook-authentication', ...shown, kind })
      const stored = (await endpoint(created.id))?.authentication
      expect(stored).toMatchObject({ ...given, kind })
      const { type: _, ...back } = created.authentication
      expect((await merchant.put(at(created.id), { authentication: back })).body).toEqual(created)
      expect((await endpoint(created.id))?.authentication).toEqual(stored)
    },
  )

  test('a URL on another server needs the secrets of the authentication again', async () => {
    const merchant = await railyard.merchant()
    const elsewhere = 'https://other.example/hook'
    const { id } = await createSubscription(merchant, { authentication: basic })
    const masked = { ...basic, password: '********' }
    expect(refusalOf(await merchant.put(at(id), { url: elsewhere }))).toEqual([400, ['/authentication']])
    expect(refusalOf(await merchant.put(at(id), { url: elsewhere, authentication: masked }))).toEqual([
      400,
      ['/authentication'],
    ])
    expect((await merchant.put(at(id), { url: `${url}?changed` })).status).toBe(200)
    expect((await merchant.put(at(id), { url: elsewhere, authentication: basic })).status).toBe(200)
    expect((await merchant.put(at(id), { url, authentication: null })).status).toBe(200)
    const oauth = (await createSubscription(merchant, { authentication: client })).id
    const moved = { ...client, client_secret: '********', token_url: 'https://other.example/token' }
    expect(refusalOf(await merchant.put(at(oauth), { authentication: moved }))).toEqual([
      400,
      ['/authentication/client_secret'],
    ])
    expect(
      (await merchant.put(at(oauth), { authentication: { ...moved, client_secret: 'shh' } })).status,
    ).toBe(200)
  })

  test('null removes the authentication and keeps the signing secret', async () => {
    const merchant = await railyard.merchant()
    const created = await createSubscription(merchant, { authentication: basic })
    expect((await merchant.put(at(created.id), { authentication: null })).body).toEqual({
      ...created,
      authentication: null,
    })
    expect(await endpoint(created.id)).toMatchObject({ authentication: null, secrets: [created.secret] })
  })

  test('a mask without a stored secret is refused', async () => {
    const merchant = await railyard.merchant()
    const masked = { ...basic, password: '********' }
    expect(refusalOf(await merchant.post('/webhook-subscriptions', { url, authentication: masked }))).toEqual(
      [400, ['/authentication/password']],
    )
    const { id } = await createSubscription(merchant, { authentication: client })
    expect(refusalOf(await merchant.put(at(id), { authentication: masked }))).toEqual([
      400,
      ['/authentication/password'],
    ])
  })

  test('a mask does not stand for the password of another kind of authentication', async () => {
    const merchant = await railyard.merchant()
    const password = '********'
    const forTokens = (
      await createSubscription(merchant, {
        authentication: { ...client, username: 'shop', password: 'for tokens' },
      })
    ).id
    expect(refusalOf(await merchant.put(at(forTokens), { authentication: { ...basic, password } }))).toEqual([
      400,
      ['/authentication/password'],
    ])
    expect((await endpoint(forTokens))?.authentication).toMatchObject({
      kind: 'oauth_password',
      password: 'for tokens',
    })
    const withClient = { ...client, client_secret: '********' }
    expect((await merchant.put(at(forTokens), { authentication: withClient })).status).toBe(200)
    expect((await endpoint(forTokens))?.authentication).toMatchObject({
      kind: 'oauth_client_credentials',
      client_secret: 'shh',
    })
    const forReceiver = (await createSubscription(merchant, { authentication: basic })).id
    expect(
      (await merchant.put(at(forReceiver), { authentication: { ...client, username: 'shop', password } }))
        .status,
    ).toBe(400)
    expect((await endpoint(forReceiver))?.authentication).toEqual(basic)
  })

  test('an authentication with members of another kind is a 422 that names the member', async () => {
    const merchant = await railyard.merchant()
    const wrong = { ...client, kind: 'oauth_client_credentials', username: 'shop' }
    const { status, body } = await merchant.post('/webhook-subscriptions', { url, authentication: wrong })
    expect({ status, detail: body.detail }).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'authentication', 'username'] }],
    })
  })

  test('a user name with a colon is refused for basic authentication', async () => {
    const merchant = await railyard.merchant()
    const answer = await merchant.post('/webhook-subscriptions', {
      url,
      authentication: { ...basic, username: 'a:b' },
    })
    expect(refusalOf(answer)).toEqual([400, ['/authentication/username']])
  })

  test('the secrets appear in no log and in no row in the clear', async () => {
    const merchant = await railyard.merchant()
    const secret = `s-${randomUUID()}`
    const { id, secret: signing } = await createSubscription(merchant, {
      authentication: { ...basic, password: secret },
    })
    await merchant.put(at(id), {
      authentication: { ...client, client_secret: secret, token_url: 'ftp://nowhere' },
    })
    const row = await railyard.world.db
      .selectFrom('webhook_subscriptions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const everything =
      JSON.stringify({ ...row, secrets: row.secrets.toString('latin1') }) + railyard.logged.join('')
    for (const text of [secret, signing]) expect(everything).not.toContain(text)
  })
})
