import { beforeEach, expect, test } from 'vitest'
import { anonymously, PASSWORD, person, signIn, tokenOf } from '../../../test/support/people.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
beforeEach(() => railyard.clock.advance(61_000))

const DAY = 86_400_000
const statusOf = async (id: string) => (await railyard.admin.get(`/users/${id}`)).body.status

test('a person who has not signed in for 90 days is shown as disabled and cannot sign in; one who has can', async () => {
  const [ford, arthur] = [await person(railyard), await person(railyard)]
  railyard.clock.advance(89 * DAY)
  expect((await signIn(railyard, arthur.email)).status).toBe(201)
  expect(await statusOf(ford.id)).toBe('active')
  railyard.clock.advance(2 * DAY)
  expect([await statusOf(ford.id), await statusOf(arthur.id)]).toEqual(['disabled', 'active'])
  expect(await signIn(railyard, ford.email)).toMatchObject({ status: 401, body: { code: 'user_disabled' } })
  expect((await signIn(railyard, arthur.email)).status).toBe(201)
  const [newest] = (await railyard.admin.get('/audit-logs?resource_type=failed-sign-in&limit=1')).body.items
  expect(newest).toMatchObject({ user: { id: ford.id }, changes: { after: { reason: 'disabled' } } })
})

test('only the right password gets the answer that an account is disabled', async () => {
  const ford = await person(railyard)
  railyard.clock.advance(91 * DAY)
  const [wrong, unknown] = [
    await signIn(railyard, ford.email, 'not the right password'),
    await signIn(railyard, 'nobody@example.com'),
  ]
  expect(wrong.body).toEqual(unknown.body)
  expect(wrong.body.code).toBe('unauthorized')
})

test('a disabled person signs in again after accepting a new invitation', async () => {
  const ford = await person(railyard)
  railyard.clock.advance(91 * DAY)
  const token = tokenOf(await railyard.admin.post(`/users/${ford.id}/invitation`))
  expect(
    (await anonymously(railyard, 'POST', '/invitations/accept', { token, password: `${PASSWORD} anew` }))
      .status,
  ).toBe(201)
  expect(await statusOf(ford.id)).toBe('active')
  expect((await signIn(railyard, ford.email, `${PASSWORD} anew`)).status).toBe(201)
})

test('a person whose last sign-in was not recorded is not disabled', async () => {
  const ford = await person(railyard)
  await railyard.world.db
    .updateTable('users')
    .set({ last_signed_in_at: null })
    .where('id', '=', ford.id)
    .execute()
  railyard.clock.advance(91 * DAY)
  expect((await signIn(railyard, ford.email)).status).toBe(201)
})

test('the last active administrator cannot be deleted when another one is disabled', async () => {
  const own = await startTestRailyard()
  const [ford, arthur] = [await person(own), await person(own)]
  await own.world.db.updateTable('api_key_pairs').set({ active: false }).execute()
  own.world.changes.invalidate('api_key_pairs')
  await own.world.db
    .updateTable('users')
    .set({ last_signed_in_at: '2001-01-01T00:00:00Z' })
    .where('id', '=', arthur.id)
    .execute()
  expect((await ford.send('DELETE', `/users/${ford.id}`)).status).toBe(400)
  await own.close()
})
