import { describe, expect, test } from 'vitest'
import {
  anonymously,
  cookieOf,
  invite,
  PASSWORD,
  person,
  personOf,
  signIn,
  tokenOf,
  totpCode,
} from '../../../test/support/people.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const HOUR = 3_600_000

test('a person who accepts an invitation is signed in, and signs in again with their password', async () => {
  const invited = await invite(railyard, { email: 'Trillian@Example.com', roles: ['administrator'] })
  expect(invited).toMatchObject({
    status: 201,
    body: { type: 'user', email_address: 'trillian@example.com', status: 'pending', totp_enabled: false },
  })
  const accepted = await anonymously(railyard, 'POST', '/invitations/accept', {
    token: tokenOf(invited),
    name: 'Trillian',
    password: PASSWORD,
  })
  expect(accepted).toMatchObject({
    status: 201,
    body: { type: 'session', user: { name: 'Trillian', status: 'active' } },
  })
  const again = await signIn(railyard, 'TRILLIAN@example.COM')
  expect(again).toMatchObject({ status: 201, body: { type: 'session', user: { id: invited.body.id } } })
  const trillian = personOf(railyard, again)
  expect((await trillian.get('/sessions/current')).body).toEqual(again.body)
  expect((await trillian.get('/transactions')).status).toBe(200)
})

test('the cookie is out of reach of scripts and other sites, and no two sign-ins share one', async () => {
  const ford = await person(railyard)
  const [one, two] = [await signIn(railyard, ford.email), await signIn(railyard, ford.email)]
  expect(one.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^railyard_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
  ])
  expect(new Set([ford.cookie, cookieOf(one), cookieOf(two)]).size).toBe(3)
  const planted = await anonymously(
    railyard,
    'POST',
    '/sessions',
    { email_address: ford.email, password: PASSWORD },
    { cookie: cookieOf(one) },
  )
  expect(cookieOf(planted)).not.toBe(cookieOf(one))
})

test('behind TLS the cookie is Secure and bound to the host', async () => {
  const before = railyard.world.publicUrl
  const ford = await person(railyard)
  railyard.world.publicUrl = 'https://pay.example'
  const answer = await signIn(railyard, ford.email)
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-railyard_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
  ])
  const signedIn = personOf(railyard, answer)
  expect((await signedIn.get('/users/me')).status).toBe(200)
  railyard.world.publicUrl = before
  expect((await signedIn.get('/users/me')).status).toBe(401)
})

test('a session tells a page what the person may do, and of which instance it is', async () => {
  const support = await person(railyard, { roles: ['customer-support'] })
  const { body } = await support.get('/sessions/current')
  expect(body).toMatchObject({ environment: 'sandbox', instance_id: 'railyard', version: '0.1.0' })
  expect(body.scopes).toContain('transactions.read')
  expect(body.scopes).not.toContain('users.write')
  const administrator = await (await person(railyard)).get('/sessions/current')
  expect(administrator.body.scopes).toEqual(['*.read', '*.write'])
})

describe('a request by cookie', () => {
  test('that changes something needs the token of its session', async () => {
    const [ford, arthur] = [await person(railyard), await person(railyard)]
    const rename = (headers: Record<string, string>) =>
      ford.send('PUT', '/users/me', { name: 'Ford' }, headers)
    for (const token of ['', 'x', arthur.csrf, `${ford.csrf}x`])
      expect(await rename({ 'x-csrf-token': token })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      })
    expect((await rename({})).body).toMatchObject({ name: 'Ford' })
  })

  test('from a page of another origin is refused, also with the token', async () => {
    const ford = await person(railyard)
    for (const origin of ['https://evil.example', 'null', `${railyard.url}.evil.example`])
      expect((await ford.send('PUT', '/users/me', { name: 'Ford' }, { origin })).status).toBe(403)
    expect((await ford.send('PUT', '/users/me', { name: 'Ford' }, { origin: railyard.url })).status).toBe(200)
  })

  test('counts as the key pair’s if it has an authorization header, whatever the cookie is', async () => {
    const ford = await person(railyard)
    expect((await ford.get('/transactions', { authorization: 'Bearer a.b.c' })).status).toBe(401)
    const asKey = await ford.get('/users/me', { authorization: `Bearer ${railyard.admin.token}` })
    expect(asKey).toMatchObject({
      status: 403,
      body: { message: 'This is for people who have signed in: a key pair has no session' },
    })
  })

  test('may use what the person’s roles open, on the person’s merchant accounts', async () => {
    const merchant = await railyard.merchant()
    const other = await railyard.merchant()
    const ford = await person(railyard, { roles: ['customer-support'], merchantAccounts: [merchant.account] })
    expect((await ford.get('/transactions')).status).toBe(200)
    expect((await ford.get('/transactions', { 'x-svc-merchant-account-id': other.account })).status).toBe(403)
    expect((await ford.get('/users')).status).toBe(403)
    expect((await ford.send('POST', '/payment-services', {})).status).toBe(403)
  })

  test('is allowed to no page of another origin by CORS', async () => {
    const ford = await person(railyard)
    const answer = await ford.get('/users/me', { origin: 'https://evil.example' })
    expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('each request in the log names the person or the key pair that sent it, by id alone', async () => {
  const ford = await person(railyard)
  const path = `/users/${crypto.randomUUID()}`
  const linesOf = () =>
    railyard.logged
      .map((line) => JSON.parse(line))
      .filter(({ msg, url }) => msg === 'request' && url === path)
  await ford.get(path)
  const keyPair = await railyard.client({ account: 'default' })
  await keyPair.get(path)
  await railyard.send('GET', path)
  expect(linesOf().map(({ status, actor, actor_type }) => [status, actor, actor_type])).toEqual([
    [404, ford.id, 'user'],
    [404, keyPair.keyId, 'api-key-pair'],
    [401, undefined, undefined],
  ])
  expect(JSON.stringify(linesOf())).not.toContain(ford.email)
})

describe('a session ends', () => {
  test('when the person signs out, and their browser forgets it', async () => {
    const ford = await person(railyard)
    const out = await ford.send('DELETE', '/sessions/current')
    expect(out.status).toBe(204)
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^railyard_session=; .*Expires=Thu, 01 Jan 1970/),
    ])
    expect((await ford.get('/users/me')).status).toBe(401)
  })

  test('after a quarter of an hour without a request, and not before', async () => {
    const ford = await person(railyard)
    for (let minutes = 0; minutes < 40; minutes += 10) {
      railyard.clock.advance(10 * 60_000)
      expect((await ford.get('/users/me')).status).toBe(200)
    }
    railyard.clock.advance(16 * 60_000)
    expect((await ford.get('/users/me')).status).toBe(401)
  })

  test('after a quarter of an hour in which its page alone asked, by itself', async () => {
    const who = await person(railyard)
    for (let minutes = 0; minutes < 14; minutes += 2) {
      railyard.clock.advance(2 * 60_000)
      expect((await who.get('/users/me', { 'x-background-request': 'true' })).status).toBe(200)
    }
    railyard.clock.advance(3 * 60_000)
    expect((await who.get('/users/me', { 'x-background-request': 'true' })).status).toBe(401)
    expect((await who.get('/users/me')).status).toBe(401)
  })

  test('after twelve hours, however busy it was', async () => {
    const ford = await person(railyard)
    for (let hours = 0; hours < 11.7; hours += 0.2) {
      railyard.clock.advance(0.2 * HOUR)
      expect((await ford.get('/users/me')).status).toBe(200)
    }
    railyard.clock.advance(0.4 * HOUR)
    expect((await ford.get('/users/me')).status).toBe(401)
  })

  test('when another session changes the password; the one that changed it continues', async () => {
    const here = await person(railyard)
    const elsewhere = personOf(railyard, await signIn(railyard, here.email))
    expect((await elsewhere.get('/users/me')).status).toBe(200)
    const change = (current_password?: string) =>
      here.send('PUT', '/users/me', { password: 'another long password 43', current_password })
    expect(await change()).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/current_password' }] },
    })
    expect(await change('not the password')).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/current_password' }] },
    })
    expect((await elsewhere.get('/users/me')).status).toBe(200)
    expect((await change(PASSWORD)).status).toBe(200)
    expect((await elsewhere.get('/users/me')).status).toBe(401)
    expect((await here.get('/users/me')).status).toBe(200)
    expect((await signIn(railyard, here.email)).status).toBe(401)
    expect((await signIn(railyard, here.email, 'another long password 43')).status).toBe(201)
  })

  test('when an administrator resets the person, and every other one when an authenticator app is confirmed or removed', async () => {
    const here = await person(railyard)
    const elsewhere = async () => {
      railyard.clock.advance(31_000)
      return personOf(railyard, await signIn(railyard, here.email, PASSWORD, { totp_code: code() }))
    }
    let secret = ''
    const code = () => (secret ? totpCode(railyard, secret) : null)
    const before = await elsewhere()
    secret = (await here.send('POST', '/users/me/totp')).body.secret
    expect((await here.send('POST', '/users/me/totp/confirm', { code: code() })).status).toBe(200)
    expect([(await before.get('/users/me')).status, (await here.get('/users/me')).status]).toEqual([401, 200])
    const between = await elsewhere()
    expect((await between.get('/users/me')).status).toBe(200)
    railyard.clock.advance(31_000)
    expect((await here.send('DELETE', '/users/me/totp', { code: code() })).status).toBe(204)
    expect([(await between.get('/users/me')).status, (await here.get('/users/me')).status]).toEqual([
      401, 200,
    ])
    expect((await railyard.admin.post(`/users/${here.id}/invitation`)).status).toBe(201)
    expect((await here.get('/users/me')).status).toBe(401)
  })

  test('when the person’s roles change, or the person is deleted', async () => {
    const [ford, arthur] = [await person(railyard, { roles: ['analyst'] }), await person(railyard)]
    expect(
      (await railyard.admin.put(`/users/${ford.id}`, { role_ids: ['6f0c5e1a-0004-4d7b-9c11-5d3c2f6a7b04'] }))
        .status,
    ).toBe(200)
    expect((await railyard.admin.delete(`/users/${arthur.id}`)).status).toBe(204)
    expect([(await ford.get('/users/me')).status, (await arthur.get('/users/me')).status]).toEqual([401, 401])
    expect((await signIn(railyard, ford.email)).status).toBe(201)
    expect((await signIn(railyard, arthur.email)).status).toBe(401)
  })
})
