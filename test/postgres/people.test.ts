import { afterAll, expect, test } from 'vitest'
import { startRailyard } from '../../src/process/railyard.ts'
import { anonymously, PASSWORD, type Person, person, personOf, roleIds, signIn } from '../support/people.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

// Two servers on one PostgreSQL: each caches the sessions of people, and drops one at once when the other ends
// it.
const first = await startRailyardForFile({ TRUSTED_PROXIES: '1' })
const second = await startRailyard(
  { ...first.world.settings, sandboxUrl: first.simulatorUrl },
  { clock: first.clock, log: first.world.log, inMemory: true },
)
afterAll(() => second.close())

const atSecond = async ({ cookie }: Person) =>
  (await fetch(`${second.url}/users/me`, { headers: { cookie } })).status
const ended = (who: Person) => expect.poll(() => atSecond(who), { timeout: 5_000, interval: 20 }).toBe(401)

test('a session of one server is known to the other, and ends there when its person signs out, changes the password, has other roles or is deleted', async () => {
  const ends: ((who: Person) => Promise<{ status: number }>)[] = [
    (who) => who.send('DELETE', '/sessions/current'),
    (who) => first.admin.put(`/users/${who.id}`, { role_ids: roleIds('analyst') }),
    (who) => first.admin.delete(`/users/${who.id}`),
    async (who) =>
      personOf(first, await signIn(first, who.email)).send('PUT', '/users/me', {
        password: 'another long password 43',
        current_password: PASSWORD,
      }),
  ]
  for (const end of ends) {
    const who = await person(first)
    expect([await atSecond(who), await atSecond(who)]).toEqual([200, 200])
    expect([200, 204]).toContain((await end(who)).status)
    await ended(who)
  }
})

test('a session that is used at one server does not end for idleness at the other', async () => {
  const who = await person(first)
  expect(await atSecond(who)).toBe(200)
  for (let minutes = 0; minutes < 60; minutes += 10) {
    first.clock.advance(10 * 60_000)
    expect((await who.get('/users/me')).status).toBe(200)
  }
  expect(await atSecond(who)).toBe(200)
  first.clock.advance(16 * 60_000)
  expect([(await who.get('/users/me')).status, await atSecond(who)]).toEqual([401, 401])
})

test('a hundred concurrent guesses over both servers count as five', async () => {
  const who = await person(first)
  const guess = (index: number) => {
    const headers = { 'x-forwarded-for': `10.1.0.${index}`, 'content-type': 'application/json' }
    const body = { email_address: who.email, password: 'not the right password' }
    if (index % 2) return anonymously(first, 'POST', '/sessions', body, headers)
    return fetch(`${second.url}/sessions`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => (await guess(index)).status),
  )
  expect(new Set(statuses)).toEqual(new Set([401]))
  const row = await first.world.db
    .selectFrom('users')
    .select('failed_attempts')
    .where('id', '=', who.id)
    .executeTakeFirstOrThrow()
  expect(row.failed_attempts).toBe(5)
})
