import { beforeEach, expect, test } from 'vitest'
import { addApp, PASSWORD, person, personOf, signIn, totpCode } from '../../../test/support/people.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { readSettings } from '../../settings.ts'
import { mustEnroll } from './second-factor.ts'

const railyard = await startRailyardForFile({ SECOND_FACTOR: 'required' })
beforeEach(() => railyard.clock.advance(61_000))

test('where a second factor is required, a person without one signs in and may only set it up; then the same session opens everything', async () => {
  const ford = await person(railyard)
  const browser = personOf(railyard, await signIn(railyard, ford.email))
  expect((await browser.get('/sessions/current')).body).toMatchObject({ totp_enrollment_required: true })
  for (const answer of [
    await browser.get('/transactions'),
    await browser.get('/users'),
    await browser.send('POST', '/buyers', {}),
  ])
    expect(answer).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('POST /users/me/totp') },
    })
  expect((await browser.get('/users/me')).status).toBe(200)
  await addApp(railyard, browser)
  expect((await browser.get('/sessions/current')).body).toMatchObject({ totp_enrollment_required: false })
  expect((await browser.get('/transactions')).status).toBe(200)
  expect((await browser.get('/users')).status).toBe(200)
})

test('where a second factor is required, a person who has one signs in with a code and may use everything at once', async () => {
  const ford = await person(railyard)
  const secret = await addApp(railyard, ford)
  expect((await signIn(railyard, ford.email)).body.code).toBe('totp_required')
  const browser = personOf(
    railyard,
    await signIn(railyard, ford.email, PASSWORD, { totp_code: totpCode(railyard, secret) }),
  )
  expect((await browser.get('/transactions')).status).toBe(200)
})

test('where a second factor is required, a person who removes it may do nothing but set one up again', async () => {
  const ford = await person(railyard)
  const secret = await addApp(railyard, ford)
  expect((await ford.get('/transactions')).status).toBe(200)
  expect((await ford.send('DELETE', '/users/me/totp', { code: totpCode(railyard, secret) })).status).toBe(204)
  expect((await ford.get('/transactions')).status).toBe(403)
  railyard.clock.advance(31_000)
  await addApp(railyard, ford)
  expect((await ford.get('/transactions')).status).toBe(200)
})

test('where a second factor is required, a person without one can sign out, and key pairs need none', async () => {
  const ford = await person(railyard)
  expect((await ford.send('DELETE', '/sessions/current')).status).toBe(204)
  expect((await railyard.admin.get('/users')).status).toBe(200)
})

test.each([
  [{}, false],
  [{ RAILYARD_ENV: 'production' }, true],
  [{ RAILYARD_ENV: 'production', SECOND_FACTOR: 'optional' }, false],
  [{ SECOND_FACTOR: 'required' }, true],
])('with the settings %o a person without an authenticator app must set one up: %s', (env, expected) => {
  expect(mustEnroll(readSettings(env), { totp_secret: null }, 'password')).toBe(expected)
  expect(mustEnroll(readSettings(env), { totp_secret: Buffer.from('sealed') }, 'password')).toBe(false)
})
