import { beforeEach, expect, test } from 'vitest'
import {
  addApp,
  anonymously,
  invite,
  PASSWORD,
  person,
  personOf,
  roleIds,
  tokenOf,
  totpCode,
} from '../../../test/support/people.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { verifyChain } from '../../database/logs/verify-chain.ts'
import { auditChain } from '../audit-log/audit-seal.ts'

const railyard = await startRailyardForFile({ TRUSTED_PROXIES: '1' })
// the attempts of one test do not count for the next
beforeEach(() => railyard.clock.advance(61_000))

const ADDRESS = '192.0.2.7'
const WRONG = 'typed-by-mistake 17'
const NEW_PASSWORD = 'another long password 43'

const attempt = (email: string, password = PASSWORD, more: object = {}, address = ADDRESS) =>
  anonymously(
    railyard,
    'POST',
    '/sessions',
    { email_address: email, password, ...more },
    { 'x-forwarded-for': address },
  )

/** The entries that `work` leaves in the audit log, oldest first, as the API shows them. */
async function entriesOf(work: () => Promise<unknown>) {
  const newest = async () => (await railyard.admin.get('/audit-logs?limit=100')).body.items
  const before = new Set((await newest()).map(({ id }: { id: string }) => id))
  await work()
  return (await newest()).filter(({ id }: { id: string }) => !before.has(id)).toReversed()
}

const failed = { action: 'created', resource: { type: 'failed-sign-in' } }
const after = (values: object) => ({ changes: { after: values } })

test('a sign-in and a sign-out are in the audit log, with the person and the address that they came from', async () => {
  const ford = await person(railyard)
  let session = ''
  const entries = await entriesOf(async () => {
    const answer = await attempt(ford.email)
    const browser = personOf(railyard, answer)
    session = (
      await railyard.world.db
        .selectFrom('user_sessions')
        .select('id')
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow()
    ).id
    await browser.send('DELETE', '/sessions/current', undefined, { 'x-forwarded-for': '192.0.2.8' })
  })
  const user = { id: ford.id, email_address: ford.email }
  expect(entries).toMatchObject([
    {
      action: 'created',
      merchant_account_id: 'default',
      resource: { type: 'session', id: session },
      user,
      ...after({ ip_address: ADDRESS }),
    },
    {
      action: 'deleted',
      resource: { type: 'session', id: session },
      user,
      ...after({ ip_address: '192.0.2.8' }),
    },
  ])
})

test('wrong passwords and the lock that they lead to are in the audit log, and guesses at a locked account name no person', async () => {
  const ford = await person(railyard)
  const entries = await entriesOf(async () => {
    for (let time = 0; time < 6; time++) expect((await attempt(ford.email, WRONG)).status).toBe(401)
  })
  const failedAsFord = {
    ...failed,
    resource: { type: 'failed-sign-in', id: ford.id },
    user: { id: ford.id, email_address: ford.email },
  }
  expect(entries).toMatchObject([
    ...Array(4).fill({
      ...failedAsFord,
      ...after({ reason: 'wrong_password', ip_address: ADDRESS, locked_until: null }),
    }),
    { ...failedAsFord, ...after({ reason: 'wrong_password', locked_until: expect.any(String) }) },
    { ...failed, user: { name: 'unknown' }, ...after({ reason: 'unknown_or_locked', ip_address: ADDRESS }) },
  ])
})

test('a sign-in with a wrong code is in the audit log, and one without the needed code is not', async () => {
  const ford = await person(railyard)
  await addApp(railyard, ford)
  const entries = await entriesOf(async () => {
    expect((await attempt(ford.email)).body.code).toBe('totp_required')
    expect((await attempt(ford.email, PASSWORD, { totp_code: '000000' })).body.code).toBe('totp_invalid')
  })
  expect(entries).toMatchObject([{ ...failed, user: { id: ford.id }, ...after({ reason: 'wrong_code' }) }])
})

test('a signed-in person who gives a wrong current password leaves an entry in the audit log', async () => {
  const ford = await person(railyard)
  const entries = await entriesOf(() =>
    ford.send('PUT', '/users/me', { password: NEW_PASSWORD, current_password: WRONG }),
  )
  expect(entries).toMatchObject([
    { ...failed, user: { id: ford.id }, ...after({ reason: 'wrong_password' }) },
  ])
})

test('sign-ins with unknown addresses leave five entries a minute in the audit log, however many there are, and never the address', async () => {
  const entries = await entriesOf(async () => {
    for (let time = 0; time < 12; time++)
      expect((await attempt(`${WRONG}-${time}@example.com`, PASSWORD, {}, `198.51.100.${time}`)).status).toBe(
        401,
      )
  })
  expect(entries).toHaveLength(5)
  expect(entries).toMatchObject(
    Array(5).fill({ ...failed, user: { name: 'unknown' }, ...after({ reason: 'unknown_or_locked' }) }),
  )
  expect(JSON.stringify(entries)).not.toContain('typed-by-mistake')
  railyard.clock.advance(61_000)
  expect(await entriesOf(() => attempt('nobody@example.com'))).toHaveLength(1)
})

test('the audit log distinguishes a new name, a changed password, and an authenticator app that is added or removed', async () => {
  const ford = await person(railyard)
  const name = (await ford.get('/users/me')).body.name
  const entries = await entriesOf(async () => {
    await ford.send('PUT', '/users/me', { name: 'Ford', password: NEW_PASSWORD, current_password: PASSWORD })
    const secret = await addApp(railyard, ford)
    expect((await ford.send('DELETE', '/users/me/totp', { code: totpCode(railyard, secret) })).status).toBe(
      204,
    )
    await ford.send('PUT', '/users/me', { name: 'Ford Prefect' })
  })
  const updated = { action: 'updated', resource: { type: 'user', id: ford.id }, user: { id: ford.id } }
  expect(entries).toMatchObject(Array(4).fill(updated))
  expect(entries.map(({ changes }: { changes: unknown }) => changes)).toEqual([
    { before: { name }, after: { name: 'Ford', password: 'changed' } },
    { before: { authenticator_app: 'off' }, after: { authenticator_app: 'on' } },
    { before: { authenticator_app: 'on' }, after: { authenticator_app: 'off' } },
    { before: { name: 'Ford' }, after: { name: 'Ford Prefect' } },
  ])
})

test('the audit log names the administrator who reset a person, and what the person then replaced', async () => {
  const [ford, arthur] = [await person(railyard), await person(railyard)]
  await addApp(railyard, ford)
  const entries = await entriesOf(async () => {
    const invited = await arthur.send('POST', `/users/${ford.id}/invitation`)
    const accepted = await anonymously(railyard, 'POST', '/invitations/accept', {
      token: tokenOf(invited),
      password: NEW_PASSWORD,
    })
    expect(accepted.status).toBe(201)
  })
  const resource = { type: 'user', id: ford.id }
  expect(entries).toMatchObject([
    {
      action: 'updated',
      resource,
      user: { id: arthur.id },
      changes: { before: {}, after: { invitation: 'new' } },
    },
    { action: 'updated', resource, user: { id: ford.id } },
    { action: 'created', resource: { type: 'session' }, user: { id: ford.id } },
  ])
  expect(entries[1].changes).toEqual({
    before: { authenticator_app: 'on' },
    after: { authenticator_app: 'off', password: 'changed' },
  })
})

test('the audit log has the values before and after for a first password and for changed roles', async () => {
  const invited = await invite(railyard, { roles: ['analyst'] })
  const entries = await entriesOf(async () => {
    await anonymously(railyard, 'POST', '/invitations/accept', {
      token: tokenOf(invited),
      password: PASSWORD,
    })
    await railyard.admin.put(`/users/${invited.body.id}`, { role_ids: roleIds('customer-support') })
  })
  expect(entries[0].changes).toEqual({
    before: { status: 'pending' },
    after: { status: 'active', password: 'set' },
  })
  expect(entries.at(-1)).toMatchObject({
    resource: { type: 'role-assignment', id: invited.body.id },
    changes: { before: { roles: 'analyst' }, after: { roles: 'customer-support' } },
  })
})

test('entries about sign-ins hold no secret, and are sealed like all others', async () => {
  const ford = await person(railyard)
  const secret = await addApp(railyard, ford)
  await attempt(ford.email, WRONG)
  const stored = JSON.stringify(await railyard.world.db.selectFrom('audit_entries').selectAll().execute())
  for (const text of [PASSWORD, NEW_PASSWORD, WRONG, secret, ford.cookie.split('=')[1] ?? '', ford.csrf])
    expect(stored).not.toContain(text)
  await railyard.sealing.runOnce()
  expect((await verifyChain(railyard.world.run, railyard.world.cipher, auditChain)).findings).toEqual([])
})
