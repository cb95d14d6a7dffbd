import { argon2Sync, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  addApp,
  anonymously,
  invite,
  PASSWORD,
  person,
  personOf,
  roleIds,
  signIn,
  tokenOf,
  totpCode,
} from '../../../test/support/people.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { updateOwnUser } from './own-user.store.ts'
import { findUser } from './user.store.ts'

const railyard = await startRailyardForFile()

const forbidden = { status: 403, body: { code: 'forbidden' } }

describe('an invitation', () => {
  test('gives a link once, which is good for 72 hours', async () => {
    const invited = await invite(railyard)
    expect(invited.body.invitation_url).toMatch(new RegExp(`^${railyard.url}/invitations/[\\w-]{43}$`))
    expect((await railyard.admin.get(`/users/${invited.body.id}`)).body).not.toHaveProperty('invitation_url')
    railyard.clock.advance(72 * 3_600_000)
    expect((await accept(tokenOf(invited))).status).toBe(401)
    expect((await signIn(railyard, invited.body.email_address)).status).toBe(401)
  })

  test('is used once, also by two requests at the same time', async () => {
    const token = tokenOf(await invite(railyard))
    expect((await Promise.all([accept(token), accept(token)])).map(({ status }) => status).sort()).toEqual([
      201, 401,
    ])
    expect((await accept(token)).status).toBe(401)
  })

  test('replaces the one before; the current password works until it is used', async () => {
    const ford = await person(railyard)
    const [first, second] = [
      await railyard.admin.post(`/users/${ford.id}/invitation`),
      await railyard.admin.post(`/users/${ford.id}/invitation`),
    ]
    expect((await accept(tokenOf(first))).status).toBe(401)
    expect((await signIn(railyard, ford.email)).status).toBe(201)
    expect((await accept(tokenOf(second), 'another long password 43')).status).toBe(201)
    expect((await signIn(railyard, ford.email)).status).toBe(401)
    expect((await ford.get('/users/me')).status).toBe(401)
    railyard.clock.advance(61_000)
  })

  test('that resets a person is worth nothing once their roles have changed', async () => {
    const manager = await person(railyard, { roles: ['user-manager'] })
    const { id } = await person(railyard, { roles: ['user-manager'] })
    const link = await manager.send('POST', `/users/${id}/invitation`)
    expect(link.status).toBe(201)
    await railyard.admin.put(`/users/${id}`, { role_ids: roleIds('administrator') })
    expect((await accept(tokenOf(link))).status).toBe(401)
    const next = await railyard.admin.post(`/users/${id}/invitation`)
    expect((await accept(tokenOf(next), 'another long password 43')).status).toBe(201)
    railyard.clock.advance(61_000)
  })

  test('is worth nothing once the person has chosen another password', async () => {
    const ford = await person(railyard)
    const link = await railyard.admin.post(`/users/${ford.id}/invitation`)
    const browser = personOf(railyard, await signIn(railyard, ford.email))
    const change = { password: 'another long password 43', current_password: PASSWORD }
    expect((await browser.send('PUT', '/users/me', change)).status).toBe(200)
    expect((await accept(tokenOf(link))).status).toBe(401)
    railyard.clock.advance(61_000)
  })

  test('is not overtaken by a change of the password that was under way', async () => {
    const ford = await person(railyard)
    const stored = await findUser(railyard.world, ford.id)
    const [session] = (await ford.get('/users/me/sessions')).body.items
    const link = await railyard.admin.post(`/users/${ford.id}/invitation`)
    expect((await accept(tokenOf(link), 'another long password 43')).status).toBe(201)
    const password = { text: 'a stranger chose this 44', verifiedHash: stored?.password_hash ?? null }
    expect(await updateOwnUser(railyard.world, ford.id, { password }, session.id)).toBeUndefined()
    expect((await signIn(railyard, ford.email, 'another long password 43')).status).toBe(201)
    railyard.clock.advance(61_000)
  })

  test.each([
    ['too short', 'elevenchar1'],
    ['too long', 'ab3-x'.repeat(41)],
    ['with the name in the address', 'it is zaphodBEEBLEBROX for sure 42'],
    ['with the name', 'this is PERSON number 42'],
    ['without a digit', 'correct horse battery staple'],
    ['without a letter', '8462 9173 5502 6'],
    ['of few different characters', 'aaaaaaaaaaa1'],
    ['a common word with digits', 'Password123456!'],
    ['a common word with digits for letters', 'P4ssw0rd2026!!'],
    ['a row of the keyboard', '1q2w3e4r5t6y'],
  ])('takes no password that is %s, and can still be used', async (_, password) => {
    const email = `beeblebrox${randomUUID().slice(0, 8)}@example.com`
    const token = tokenOf(await invite(railyard, { email: `beeblebrox@${email.split('@')[0]}.example` }))
    expect(await accept(token, password)).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/password' }] },
    })
    expect((await accept(token)).status).toBe(201)
    railyard.clock.advance(61_000)
  })

  test('takes a password as a person types it: composed or not, in characters rather than bytes', async () => {
    const invited = await invite(railyard)
    expect((await accept(tokenOf(invited), 'e\u0301a1-x'.repeat(3))).status).toBe(201)
    expect((await signIn(railyard, invited.body.email_address, 'éa1-x'.repeat(3))).status).toBe(201)
  })

  const accept = (token: string, password = PASSWORD) =>
    anonymously(railyard, 'POST', '/invitations/accept', { token, password })
})

describe('the page of an invitation', () => {
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  const typed = { name: 'Ford', password: PASSWORD, again: PASSWORD }

  test('lets a person choose a password without a script, and signs them in', async () => {
    const invited = await invite(railyard)
    const path = new URL(invited.body.invitation_url).pathname
    const page = await railyard.send('GET', path)
    expect(page.status).toBe(200)
    expect(page.body).toContain(invited.body.email_address)
    expect(page.body).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    const sent = await railyard.send('POST', path, form(typed, { origin: railyard.url }))
    expect([sent.status, sent.headers.getSetCookie().length]).toEqual([200, 1])
    expect(sent.body).toContain('Welcome, Ford')
    expect((await signIn(railyard, invited.body.email_address)).body).toMatchObject({
      user: { name: 'Ford' },
    })
    expect((await railyard.send('GET', path)).status).toBe(404)
    railyard.clock.advance(61_000)
  })

  test('says what is wrong, escapes markup in the fields, and keeps the link', async () => {
    const path = new URL((await invite(railyard)).body.invitation_url).pathname
    const attack = '"><script>alert(1)</script>'
    const answers = [
      await railyard.send('POST', path, form({ ...typed, again: 'something else' })),
      await railyard.send('POST', path, form({ ...typed, password: 'short', again: 'short', name: attack })),
      await railyard.send('POST', path, form({ ...typed, name: 'a\u0000b' })),
      await railyard.send('POST', path, form({})),
    ]
    for (const { status, body, headers } of answers) {
      expect([status, headers.getSetCookie()]).toEqual([400, []])
      expect(body).toContain('role="alert"')
      expect(body).not.toContain('<script')
    }
    expect((await railyard.send('GET', path)).status).toBe(200)
    expect((await railyard.send('POST', path, form(typed, { origin: 'https://evil.example' }))).status).toBe(
      403,
    )
    expect((await railyard.send('GET', `/invitations/${'x'.repeat(43)}`)).status).toBe(404)
    railyard.clock.advance(61_000)
  })
})

describe('people', () => {
  test('are listed, the newest first, in pages, and found by name or address', async () => {
    const mark = randomUUID()
    const ids = []
    for (const name of ['a', 'b', 'c'])
      ids.unshift((await invite(railyard, { email: `${name}.${mark}@example.com` })).body.id)
    const first = (await railyard.admin.get(`/users?limit=2&search=${mark}`)).body
    const second = (await railyard.admin.get(`/users?limit=2&search=${mark}&cursor=${first.next_cursor}`))
      .body
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(second.next_cursor).toBe(null)
    expect((await railyard.admin.get(`/users?search=${mark}%25`)).body.items).toEqual([])
    expect((await railyard.admin.get(`/users?search=A.${mark}`)).body.items).toHaveLength(1)
  })

  test('have an address of their own, compared in lower case; one of two requests at the same time gets it', async () => {
    const address = `${randomUUID()}@example.com`
    const answers = await Promise.all(
      [address, address.toUpperCase()].map((email) => invite(railyard, { email })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    const [made, refused] = answers.toSorted((one, other) => one.status - other.status)
    expect(refused?.body).toMatchObject({ code: 'duplicate_record', resource_id: made?.body.id })
    expect((await railyard.admin.delete(`/users/${made?.body.id}`)).status).toBe(204)
    expect((await railyard.admin.get(`/users/${made?.body.id}`)).status).toBe(404)
    expect((await invite(railyard, { email: address })).status).toBe(201)
  })

  test('with the role user manager give others any role but administrator, no merchant account that they lack, and themselves nothing more', async () => {
    const [merchant, other] = [await railyard.merchant(), await railyard.merchant()]
    const manager = await person(railyard, { roles: ['user-manager'], merchantAccounts: [merchant.account] })
    const invites = (roles: string[], merchantAccounts: string[]) =>
      invite(railyard, {
        roles,
        merchantAccounts,
        by: { post: (path, body) => manager.send('POST', path, body) },
      })
    expect(await invites(['administrator'], [merchant.account])).toMatchObject(forbidden)
    expect(await invites(['user-manager'], [])).toMatchObject(forbidden)
    expect(await invites(['user-manager'], [other.account])).toMatchObject(forbidden)
    const invited = await invites(['analyst', 'report-viewer'], [merchant.account])
    expect(invited.status).toBe(201)
    expect(
      await manager.send('PUT', `/users/${manager.id}`, {
        role_ids: roleIds('user-manager', 'system-manager'),
      }),
    ).toMatchObject(forbidden)
    expect(
      await manager.send('PUT', `/users/${invited.body.id}`, { role_ids: roleIds('administrator') }),
    ).toMatchObject(forbidden)
    expect(await manager.send('PUT', `/users/${manager.id}`, { merchant_account_ids: [] })).toMatchObject(
      forbidden,
    )
    expect(
      await railyard.admin.put(`/users/${invited.body.id}`, { role_ids: roleIds('processing') }),
    ).toMatchObject({ status: 400 })
    expect(
      await railyard.admin.put(`/users/${invited.body.id}`, { merchant_account_ids: ['nobody'] }),
    ).toMatchObject({ status: 400 })
  })

  test('with the role user manager neither reset nor change nor delete an administrator', async () => {
    const administrator = await person(railyard)
    const manager = await person(railyard, { roles: ['user-manager'] })
    expect(await manager.send('POST', `/users/${administrator.id}/invitation`)).toMatchObject(forbidden)
    expect(await manager.send('PUT', `/users/${administrator.id}`, { name: 'Mine' })).toMatchObject(forbidden)
    expect(await manager.send('DELETE', `/users/${administrator.id}`)).toMatchObject(forbidden)
    expect((await administrator.get('/users/me')).status).toBe(200)
  })

  test('cannot reset a person who may do more than they may, and can reset any other', async () => {
    const manager = await person(railyard, { roles: ['user-manager'] })
    const reset = (id: string) => manager.send('POST', `/users/${id}/invitation`)
    const victim = await person(railyard, { roles: ['system-manager'] })
    expect(await reset(victim.id)).toMatchObject(forbidden)
    expect((await victim.get('/users/me')).status).toBe(200)
    expect((await reset((await person(railyard, { roles: ['user-manager'] })).id)).status).toBe(201)
    expect((await reset((await invite(railyard, { roles: ['system-manager'] })).body.id)).status).toBe(201)
    expect((await railyard.admin.post(`/users/${victim.id}/invitation`)).status).toBe(201)
  })

  test('who are limited to some merchant accounts do not see people whose limits reach further', async () => {
    const [merchant, other] = [await railyard.merchant(), await railyard.merchant()]
    const viewer = await person(railyard, { merchantAccounts: [merchant.account] })
    const colleague = await person(railyard, { merchantAccounts: [merchant.account] })
    const others = [
      await person(railyard),
      await person(railyard, { merchantAccounts: [other.account] }),
      await person(railyard, { merchantAccounts: [merchant.account, other.account] }),
    ]
    expect((await viewer.get('/users')).body.items.map(({ id }: { id: string }) => id)).toEqual([
      colleague.id,
      viewer.id,
    ])
    for (const { id } of others) {
      const answers = [
        await viewer.get(`/users/${id}`),
        await viewer.send('PUT', `/users/${id}`, { name: 'Mine' }),
        await viewer.send('DELETE', `/users/${id}`),
        await viewer.send('POST', `/users/${id}/invitation`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
  })

  test('who demote each other at the same time leave one administrator, when no key pair is an administrator', async () => {
    const own = await startTestRailyard()
    const [one, two] = [await person(own), await person(own)]
    await own.world.db.updateTable('api_key_pairs').set({ active: false }).execute()
    const demote = (by: typeof one, other: typeof one) =>
      by.send('PUT', `/users/${other.id}`, { role_ids: roleIds('analyst') })
    const answers = await Promise.all([demote(one, two), demote(two, one)])
    const left = await own.world.db
      .selectFrom('users')
      .select('role_ids')
      .where('status', '=', 'active')
      .execute()
    expect(left.filter(({ role_ids }) => role_ids.includes('administrator'))).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const last = (await one.get('/users')).status === 200 ? one : two
    expect(await last.send('DELETE', `/users/${last.id}`)).toMatchObject({ status: 400 })
    expect(await last.send('PUT', `/users/${last.id}`, { merchant_account_ids: ['default'] })).toMatchObject({
      status: 400,
    })
    expect((await last.get('/users/me')).status).toBe(200)
    await own.close()
  })
})

test('the audit log names the person who changed another one, with their email address', async () => {
  const ford = await person(railyard)
  const invited = await invite(railyard, {
    roles: ['analyst'],
    by: { post: (path, body) => ford.send('POST', path, body) },
  })
  await ford.send('PUT', `/users/${invited.body.id}`, { role_ids: roleIds('customer-support') })
  await ford.send('DELETE', `/users/${invited.body.id}`)
  const secret = await addApp(railyard, ford)
  expect((await ford.send('DELETE', '/users/me/totp', { code: totpCode(railyard, secret) })).status).toBe(204)
  expect((await ford.send('PUT', '/users/me', { name: 'Ford' })).status).toBe(200)
  const entries = await railyard.world.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('resource_id', '=', invited.body.id)
    .orderBy('position')
    .execute()
  expect(
    entries.map(({ action, resource_type, actor_email_address }) => [
      action,
      resource_type,
      actor_email_address,
    ]),
  ).toEqual([
    ['created', 'user', ford.email],
    ['updated', 'role-assignment', ford.email],
    ['deleted', 'user', ford.email],
  ])
  const own = await railyard.world.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('resource_id', '=', ford.id)
    .orderBy('position')
    .execute()
  expect(
    own.map(({ action, actor_type, actor_email_address }) => [action, actor_type, actor_email_address]),
  ).toEqual([
    ['created', 'api-key-pair', null],
    // the invitation accepted, the app confirmed and removed, the name changed
    ['updated', 'user', ford.email],
    ['updated', 'user', ford.email],
    ['updated', 'user', ford.email],
    ['updated', 'user', ford.email],
  ])
})

test('a password is kept as argon2id of 19 MiB and two passes, with a salt of its own for each person', async () => {
  const people = await Promise.all([person(railyard), person(railyard)])
  const rows = await railyard.world.db
    .selectFrom('users')
    .select('password_hash')
    .where(
      'id',
      'in',
      people.map(({ id }) => id),
    )
    .execute()
  const hashes = rows.map(({ password_hash }) =>
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([^$]+)\$([^$]+)$/.exec(password_hash ?? ''),
  )
  const salts = hashes.map((parts) => parts?.[1] ?? '')
  expect(new Set(salts).size).toBe(2)
  for (const [index, salt] of salts.entries()) {
    const nonce = Buffer.from(salt, 'base64')
    const hash = argon2Sync('argon2id', {
      message: Buffer.from(PASSWORD),
      nonce,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    })
    expect(Buffer.from(hashes[index]?.[2] ?? '', 'base64').equals(hash)).toBe(true)
  }
})

test('no password, link, cookie, code or secret is logged or stored in the clear', async () => {
  const invited = await invite(railyard)
  await railyard.send('GET', new URL(invited.body.invitation_url).pathname)
  const ford = await person(railyard)
  const totp = await ford.send('POST', '/users/me/totp')
  await ford.send('PUT', '/users/me', { password: 'another long password 43', current_password: PASSWORD })
  const tables = await Promise.all(
    (['users', 'user_sessions', 'user_invitations', 'audit_entries', 'events'] as const).map((table) =>
      railyard.world.db.selectFrom(table).selectAll().execute(),
    ),
  )
  const stored = JSON.stringify(tables) + railyard.logged.join('')
  const bytes = Buffer.concat(
    tables[0]?.flatMap((row) =>
      'totp_candidate' in row && row.totp_candidate ? [row.totp_candidate] : [],
    ) ?? [],
  )
  for (const secret of [
    tokenOf(invited),
    ford.cookie.split('=')[1] ?? '',
    ford.csrf,
    totp.body.secret,
    PASSWORD,
    'another long password 43',
  ]) {
    expect(secret).not.toBe('')
    expect(stored).not.toContain(secret)
    expect(bytes.includes(secret)).toBe(false)
  }
})
