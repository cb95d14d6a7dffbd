import { beforeEach, expect, test } from 'vitest'
import {
  anonymously,
  invite,
  PASSWORD,
  type Person,
  person,
  signIn,
  tokenOf,
} from '../../../test/support/people.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
// the attempts of one test do not count for the next
beforeEach(() => railyard.clock.advance(61_000))

const passwordOf = (number: number) => `unlike the others ${number}`

async function changePassword(ford: Person, from: string, to: string) {
  railyard.clock.advance(4_000)
  return ford.send('PUT', '/users/me', { password: to, current_password: from })
}

/** A person whose passwords were, in this order, `PASSWORD` and those with the numbers 1 to 3. */
async function personAfterThreeChanges(): Promise<Person> {
  const ford = await person(railyard)
  for (const [from, to] of [
    [PASSWORD, passwordOf(1)],
    [passwordOf(1), passwordOf(2)],
    [passwordOf(2), passwordOf(3)],
  ] as const)
    expect((await changePassword(ford, from, to)).status).toBe(200)
  return ford
}

const usedBefore = {
  status: 400,
  body: { details: [{ pointer: '/password', message: 'is one of your last 4 passwords' }] },
}

test('none of the last four passwords is taken again, the present one among them, and the fifth is', async () => {
  const ford = await personAfterThreeChanges()
  for (const password of [PASSWORD, passwordOf(1), passwordOf(2), passwordOf(3)])
    expect(await changePassword(ford, passwordOf(3), password)).toMatchObject(usedBefore)
  expect((await changePassword(ford, passwordOf(3), passwordOf(4))).status).toBe(200)
  expect((await changePassword(ford, passwordOf(4), PASSWORD)).status).toBe(200)
  expect((await signIn(railyard, ford.email)).status).toBe(201)
})

test('without the current password, the answer does not say that the new one was used before', async () => {
  const ford = await personAfterThreeChanges()
  const answer = await changePassword(ford, 'a guess that is wrong 1', passwordOf(1))
  expect(answer).toMatchObject({ status: 400, body: { details: [{ pointer: '/current_password' }] } })
})

test('a new invitation takes none of the last four passwords either, and can still be used', async () => {
  const ford = await personAfterThreeChanges()
  const token = tokenOf(await railyard.admin.post(`/users/${ford.id}/invitation`))
  const accept = (password: string) =>
    anonymously(railyard, 'POST', '/invitations/accept', { token, password })
  expect(await accept(passwordOf(2))).toMatchObject(usedBefore)
  const page = await railyard.send('POST', `/invitations/${token}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ name: 'Ford', password: passwordOf(1), again: passwordOf(1) }).toString(),
  })
  expect(page.status).toBe(400)
  expect(page.body).toContain('The password is one of your last 4 passwords.')
  expect((await accept(passwordOf(5))).status).toBe(201)
})

test('a deleted person leaves no hash of a password', async () => {
  const ford = await personAfterThreeChanges()
  expect((await railyard.admin.delete(`/users/${ford.id}`)).status).toBe(204)
  const row = await railyard.world.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', ford.id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('argon2')
})

test('a person’s first password is accepted: there are no earlier ones', async () => {
  const invited = await invite(railyard)
  const accepted = await anonymously(railyard, 'POST', '/invitations/accept', {
    token: tokenOf(invited),
    password: PASSWORD,
  })
  expect(accepted.status).toBe(201)
})
