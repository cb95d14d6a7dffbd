import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { cookieOf, invite, person } from '../../../test/support/people.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { createSignInLink, offersSignInLink } from './sign-in-link.store.ts'

const railyard = await startRailyardForFile()
// attempts at links count with sign-ins
beforeEach(() => railyard.clock.advance(61_000))

const newLink = async () =>
  (await createSignInLink(railyard.world, railyard.world.publicUrl)).slice(railyard.url.length)
const open = (path: string) => railyard.send('GET', path)
const press = (path: string, headers: Record<string, string> = { origin: railyard.url }) =>
  railyard.send('POST', path, {
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
const current = async (cookie: string) =>
  (await railyard.send('GET', '/sessions/current', { headers: { cookie } })).body

test('a sign-in link of the sandbox opens a session for its administrator and leads to the dashboard', async () => {
  const path = await newLink()
  const page = await open(path)
  expect(page.status).toBe(200)
  expect(page.body.match(/<button/g)).toHaveLength(1)
  expect(page.body).not.toContain('<script')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'self'; /)
  expect(page.headers.get('cache-control')).toBe('no-store')
  const planted = `railyard_session=${'a'.repeat(43)}`
  const answer = await press(path, { origin: railyard.url, cookie: planted })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard'])
  expect(cookieOf(answer)).not.toBe(planted)
  expect(await current(cookieOf(answer))).toMatchObject({
    user: {
      email_address: 'administrator@sandbox.example.com',
      name: 'Sandbox administrator',
      status: 'active',
      roles: [{ slug: 'administrator' }],
      merchant_account_ids: [],
    },
  })
  const entries = (await railyard.admin.get('/audit-logs?limit=2')).body.items
  expect(entries.map(({ resource }: { resource: { type: string } }) => resource.type)).toEqual([
    'session',
    'user',
  ])
})

test('a second link signs in the same person', async () => {
  const first = await current(cookieOf(await press(await newLink())))
  const second = await current(cookieOf(await press(await newLink())))
  expect(second.user.id).toBe(first.user.id)
})

test('a preview of a sign-in link leaves it unused', async () => {
  const path = await newLink()
  for (const method of ['GET', 'HEAD', 'GET'])
    expect((await railyard.send(method, path)).headers.getSetCookie()).toEqual([])
  expect((await press(path)).status).toBe(303)
})

test('a sign-in link is used once, also by two requests at the same time, and then says how to get another', async () => {
  const path = await newLink()
  const answers = await Promise.all([press(path), press(path)])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 404])
  const again = await press(path)
  expect([again.status, again.headers.getSetCookie()]).toEqual([404, []])
  const page = await open(path)
  expect(page.status).toBe(404)
  expect(page.body).toContain('users sign-in-link')
})

test('a sign-in link ends after 24 hours, and when a newer one is made', async () => {
  const expired = await newLink()
  railyard.clock.advance(24 * 3_600_000)
  expect([(await open(expired)).status, (await press(expired)).status]).toEqual([404, 404])
  const replaced = await newLink()
  await newLink()
  expect([(await open(replaced)).status, (await press(replaced)).status]).toEqual([404, 404])
})

test('a page of another origin cannot use a sign-in link', async () => {
  const path = await newLink()
  for (const origin of ['https://evil.example', 'null', `${railyard.url}.evil.example`])
    expect((await press(path, { origin })).status).toBe(403)
  expect((await press(path)).status).toBe(303)
})

test('the database has the hash of a sign-in link, not the link', async () => {
  const token = (await newLink()).split('/').at(-1) ?? ''
  const [link] = await railyard.world.db.selectFrom('sign_in_links').selectAll().execute()
  expect(JSON.stringify(link)).not.toContain(token)
  expect(link?.token_hash).toHaveLength(32)
})

test('a start offers a sign-in link while there is no person but the sandbox’s administrator', async () => {
  const fresh = await startTestRailyard()
  try {
    expect(await offersSignInLink(fresh.world)).toBe(true)
    await invite(fresh)
    expect(await offersSignInLink(fresh.world)).toBe(false)
  } finally {
    await fresh.close()
  }
  await press(await newLink())
  await person(railyard)
  expect(await offersSignInLink(railyard.world)).toBe(true)
})

test('there are no sign-in links in production', async () => {
  const production = await startTestRailyard({
    RAILYARD_ENV: 'production',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  })
  try {
    const link = await createSignInLink(production.world, production.url)
    const answers = [
      await production.send('GET', link.slice(production.url.length)),
      await production.send('POST', link.slice(production.url.length)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  } finally {
    await production.close()
  }
})
