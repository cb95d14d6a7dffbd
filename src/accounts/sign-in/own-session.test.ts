import { expect, test } from 'vitest'
import {
  anonymously,
  cookieOf,
  PASSWORD,
  type Person,
  person,
  personOf,
} from '../../../test/support/people.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile({ TRUSTED_PROXIES: '1' })

const signInFrom = async (who: Person, address: string, userAgent: string) =>
  personOf(
    railyard,
    await anonymously(
      railyard,
      'POST',
      '/sessions',
      { email_address: who.email, password: PASSWORD },
      { 'x-forwarded-for': address, 'user-agent': userAgent },
    ),
  )
const sessionsOf = async (who: Person) => (await who.get('/users/me/sessions')).body.items

test('a person sees where they are signed in: since when, with what, from where, and which session is this', async () => {
  const ford = await person(railyard)
  const phone = await signInFrom(ford, '192.0.2.7', `Phone/1.0 ${'x'.repeat(300)}`)
  railyard.clock.advance(120_000)
  const [newest, oldest, ...others] = await sessionsOf(phone)
  expect(others).toEqual([])
  expect(newest).toEqual({
    type: 'own-session',
    id: expect.any(String),
    is_current: true,
    method: 'password',
    ip_address: '192.0.2.7',
    user_agent: `Phone/1.0 ${'x'.repeat(190)}`,
    created_at: expect.any(String),
    last_seen_at: expect.any(String),
    expires_at: expect.any(String),
  })
  expect(Date.parse(newest.last_seen_at) - Date.parse(newest.created_at)).toBeGreaterThanOrEqual(120_000)
  expect(oldest).toMatchObject({ is_current: false, method: 'invitation' })
})

test('a person ends one of their sessions, which opens nothing from then on; the audit log has it', async () => {
  const ford = await person(railyard)
  const phone = await signInFrom(ford, '192.0.2.8', 'Phone')
  const [{ id }] = await sessionsOf(ford)
  expect((await ford.send('DELETE', `/users/me/sessions/${id}`)).status).toBe(204)
  expect((await phone.get('/users/me')).status).toBe(401)
  expect((await ford.get('/users/me')).status).toBe(200)
  expect((await ford.send('DELETE', `/users/me/sessions/${id}`)).status).toBe(404)
  const [entry] = (await railyard.admin.get('/audit-logs?limit=1')).body.items
  expect(entry).toMatchObject({
    action: 'deleted',
    resource: { type: 'session', id },
    user: { id: ford.id },
  })
})

test('a person who ends this session is signed out, and the browser forgets the cookie', async () => {
  const ford = await person(railyard)
  const [{ id }] = await sessionsOf(ford)
  const answer = await ford.send('DELETE', `/users/me/sessions/${id}`)
  expect([answer.status, cookieOf(answer)]).toEqual([204, 'railyard_session='])
  expect((await ford.get('/users/me')).status).toBe(401)
})

test('nobody sees or ends the session of another person, nor without the token of their own', async () => {
  const [ford, arthur] = [await person(railyard), await person(railyard)]
  const [{ id }] = await sessionsOf(ford)
  expect((await sessionsOf(arthur)).map((session: { id: string }) => session.id)).not.toContain(id)
  expect((await arthur.send('DELETE', `/users/me/sessions/${id}`)).status).toBe(404)
  const forged = await ford.send('DELETE', `/users/me/sessions/${id}`, undefined, { 'x-csrf-token': 'x' })
  expect(forged.status).toBe(403)
  expect((await ford.get('/users/me')).status).toBe(200)
})

test('sessions that have ended are not listed', async () => {
  const ford = await person(railyard)
  await signInFrom(ford, '192.0.2.9', 'Phone')
  for (let minutes = 0; minutes < 20; minutes += 10) {
    railyard.clock.advance(10 * 60_000)
    await ford.get('/users/me')
  }
  expect(await sessionsOf(ford)).toMatchObject([{ is_current: true }])
})
