import { beforeEach, describe, expect, test } from 'vitest'
import { type SoftwareAuthenticator, softwareAuthenticator } from '../../../test/support/authenticator.ts'
import {
  addApp,
  anonymously,
  PASSWORD,
  type Person,
  person,
  personOf,
  tokenOf,
  totpCode,
} from '../../../test/support/people.ts'
import type { TestRailyard } from '../../../test/support/railyard.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { insertPasskey } from './passkey.store.ts'

const railyard = await startRailyardForFile()
/** Browsers make passkeys for host names only. */
const asHost = ({ world, url }: TestRailyard) => {
  world.publicUrl = url.replace('127.0.0.1', 'localhost')
  return world.publicUrl
}
const ORIGIN = asHost(railyard)
// the attempts of one test do not count for the next
beforeEach(() => railyard.clock.advance(61_000))

const options = (who: Person, proof: object = { password: PASSWORD }) =>
  who.send('POST', '/users/me/passkeys/options', proof)
const add = (who: Person, credential: unknown, name = 'Laptop') =>
  who.send('POST', '/users/me/passkeys', { name, credential })
const addPasskey = async (who: Person, authenticator = softwareAuthenticator(ORIGIN)) => {
  const added = await add(who, authenticator.create((await options(who)).body.options))
  expect(added.status).toBe(201)
  return { authenticator, id: added.body.id }
}
const signInOptions = async (at = railyard) =>
  (await anonymously(at, 'POST', '/sessions/passkey/options', undefined)).body.options
const send = (credential: unknown, headers: Record<string, string> = {}) =>
  anonymously(railyard, 'POST', '/sessions/passkey', { credential }, headers)
const signIn = async (authenticator: SoftwareAuthenticator, how = {}) =>
  send(authenticator.get(await signInOptions(), how))
const refused = { status: 401, body: { code: 'unauthorized' } }
const newestEntries = async (limit: number) =>
  (await railyard.admin.get(`/audit-logs?limit=${limit}`)).body.items

test('a person adds a passkey, and signs in with it in place of password and code', async () => {
  const ford = await person(railyard)
  const answer = await options(ford)
  expect(answer.body).toMatchObject({
    type: 'passkey-options',
    options: {
      rp: { id: 'localhost', name: 'Railyard' },
      user: { name: ford.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    },
  })
  const authenticator = softwareAuthenticator(ORIGIN)
  const added = await add(ford, authenticator.create(answer.body.options), 'Ford’s phone')
  expect(added).toMatchObject({
    status: 201,
    body: { type: 'passkey', name: 'Ford’s phone', last_used_at: null },
  })
  expect(await newestEntries(1)).toMatchObject([
    { action: 'created', resource: { type: 'passkey', id: added.body.id }, user: { id: ford.id } },
  ])
  await addApp(railyard, ford)
  const signedIn = await signIn(authenticator)
  expect(signedIn).toMatchObject({ status: 201, body: { type: 'session', user: { id: ford.id } } })
  const browser = personOf(railyard, signedIn)
  expect((await browser.get('/users/me/sessions')).body.items[0]).toMatchObject({
    is_current: true,
    method: 'passkey',
  })
  expect((await browser.get('/users/me/passkeys')).body.items).toMatchObject([
    { id: added.body.id, last_used_at: expect.any(String) },
  ])
  expect(await newestEntries(1)).toMatchObject([
    { action: 'created', resource: { type: 'session' }, user: { id: ford.id } },
  ])
})

test('the options of a sign-in name no person, and every challenge is another', async () => {
  await addPasskey(await person(railyard))
  const [one, two] = [await signInOptions(), await signInOptions()]
  expect(one).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
  expect(one.allowCredentials ?? []).toEqual([])
  expect(one.challenge).not.toBe(two.challenge)
})

test('a passkey that is added or removed ends the other sessions of the person', async () => {
  const ford = await person(railyard)
  const { authenticator, id } = await addPasskey(ford)
  const phone = personOf(railyard, await signIn(authenticator))
  await addPasskey(ford)
  expect([(await phone.get('/users/me')).status, (await ford.get('/users/me')).status]).toEqual([401, 200])
  const again = personOf(railyard, await signIn(authenticator))
  const removed = await ford.send('DELETE', `/users/me/passkeys/${id}`, { password: PASSWORD })
  expect(removed.status).toBe(204)
  expect([(await again.get('/users/me')).status, (await ford.get('/users/me')).status]).toEqual([401, 200])
  expect(await signIn(authenticator)).toMatchObject(refused)
})

describe('an answer to a sign-in is refused', () => {
  test('when it is sent a second time, also at the same time', async () => {
    const { authenticator } = await addPasskey(await person(railyard))
    const credential = authenticator.get(await signInOptions())
    const answers = await Promise.all([send(credential), send(credential)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401])
    expect(await send(credential)).toMatchObject(refused)
  })

  test('five minutes after the challenge was made', async () => {
    const { authenticator } = await addPasskey(await person(railyard))
    const credential = authenticator.get(await signInOptions())
    railyard.clock.advance(5 * 60_000)
    expect(await send(credential)).toMatchObject(refused)
  })

  test.each([
    ['the challenge is not Railyard’s', { challenge: 'x'.repeat(43) }],
    ['the person was not verified', { verified: false }],
    ['it was made on the page of another origin', { origin: 'https://evil.example' }],
    ['it was made for another relying party', { rpId: 'evil.example' }],
    ['it was made in a frame of another origin', { crossOrigin: true }],
    ['the counter of the authenticator has not grown', { counter: 1 }],
    ['the counter of the authenticator was reset', { counter: 0 }],
  ])('when %s', async (_, how) => {
    const { authenticator } = await addPasskey(await person(railyard))
    expect(await signIn(authenticator, how)).toMatchObject(refused)
    expect((await signIn(authenticator, { counter: 10 })).status).toBe(201)
  })

  test('when the signature is of another passkey, or a part of the answer was changed', async () => {
    const ford = await person(railyard)
    const { authenticator } = await addPasskey(ford)
    const other = softwareAuthenticator(ORIGIN)
    const credential = authenticator.get(await signInOptions())
    const forged = other.get(await signInOptions())
    expect(await send({ ...forged, id: authenticator.id, rawId: authenticator.id })).toMatchObject(refused)
    const response = { ...credential.response, userHandle: Buffer.from('someone').toString('base64url') }
    expect(await send({ ...credential, response })).toMatchObject(refused)
  })

  test('in the same words, whether the passkey is unknown, wrong or of a locked account', async () => {
    const { authenticator } = await addPasskey(await person(railyard))
    const unknown = await signIn(softwareAuthenticator(ORIGIN))
    const wrong = await signIn(authenticator, { verified: false })
    const misshapen = await send({ id: 'x' })
    for (let time = 0; time < 4; time++) await signIn(authenticator, { verified: false })
    const locked = await signIn(authenticator)
    for (const answer of [unknown, wrong, misshapen, locked])
      expect(answer).toEqual({ ...unknown, headers: expect.anything() })
    railyard.clock.advance(61_000)
    expect((await signIn(authenticator)).status).toBe(201)
  })

  test('when a page of another origin sends it', async () => {
    const { authenticator } = await addPasskey(await person(railyard))
    const credential = authenticator.get(await signInOptions())
    expect((await send(credential, { origin: 'https://evil.example' })).status).toBe(403)
    const asked = await anonymously(railyard, 'POST', '/sessions/passkey/options', undefined, {
      origin: 'https://evil.example',
    })
    expect(asked.status).toBe(403)
    expect((await send(credential, { origin: ORIGIN })).status).toBe(201)
  })

  test('with an entry in the audit log that names the person', async () => {
    const ford = await person(railyard)
    const { authenticator } = await addPasskey(ford)
    await signIn(authenticator, { verified: false })
    expect(await newestEntries(1)).toMatchObject([
      {
        resource: { type: 'failed-sign-in', id: ford.id },
        changes: { after: { reason: 'wrong_passkey' } },
        user: { id: ford.id },
      },
    ])
  })

  test('when the person has not signed in for 90 days, was deleted, or accepted a new invitation', async () => {
    const [idle, deleted, reset] = [await person(railyard), await person(railyard), await person(railyard)]
    const passkeys = [await addPasskey(deleted), await addPasskey(reset)]
    await railyard.admin.delete(`/users/${deleted.id}`)
    const invited = await railyard.admin.post(`/users/${reset.id}/invitation`)
    await anonymously(railyard, 'POST', '/invitations/accept', {
      token: tokenOf(invited),
      password: 'another long password 43',
    })
    for (const { authenticator } of passkeys) expect(await signIn(authenticator)).toMatchObject(refused)
    const { authenticator } = await addPasskey(idle)
    railyard.clock.advance(91 * 86_400_000)
    expect(await signIn(authenticator)).toMatchObject({ status: 401, body: { code: 'user_disabled' } })
  })
})

describe('a passkey cannot be added', () => {
  test('without a fresh proof: the password, and a code of the authenticator app', async () => {
    const ford = await person(railyard)
    expect((await options(ford, {})).status).toBe(422)
    expect((await options(ford, { password: 'not the password 1' })).status).toBe(400)
    const secret = await addApp(railyard, ford)
    expect(await options(ford)).toMatchObject({ status: 400, body: { details: [{ pointer: '/code' }] } })
    const proof = { password: PASSWORD, code: totpCode(railyard, secret) }
    expect((await options(ford, proof)).status).toBe(200)
    expect((await options(ford, proof)).status).toBe(400)
  })

  test('with a code alone: a stranger at an open browser can set up an app', async () => {
    const ford = await person(railyard)
    const code = totpCode(railyard, await addApp(railyard, ford))
    expect(await options(ford, { code })).toMatchObject({ status: 422 })
    expect(await options(ford, { code, password: 'a guess 1' })).toMatchObject({ status: 400 })
  })

  test('after five guesses at the code, with the right password', async () => {
    const ford = await person(railyard)
    const secret = await addApp(railyard, ford)
    for (let guess = 0; guess < 5; guess++)
      expect(await options(ford, { password: PASSWORD, code: '000000' })).toMatchObject({ status: 400 })
    const proof = () => ({ password: PASSWORD, code: totpCode(railyard, secret) })
    expect((await options(ford, proof())).status).toBe(400)
    railyard.clock.advance(61_000)
    expect((await options(ford, proof())).status).toBe(200)
  })

  test('after five guesses at the code, whatever is proven by the password alone between them', async () => {
    const ford = await person(railyard)
    const secret = await addApp(railyard, ford)
    const guess = () => options(ford, { password: PASSWORD, code: '000000' })
    for (let count = 0; count < 4; count++) expect((await guess()).status).toBe(400)
    const change = { password: PASSWORD, current_password: PASSWORD }
    expect(await ford.send('PUT', '/users/me', change)).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/password' }] },
    })
    expect((await guess()).status).toBe(400)
    const proof = { password: PASSWORD, code: totpCode(railyard, secret) }
    expect(await options(ford, proof)).toMatchObject({ status: 400 })
  })

  test('with a challenge of another session, of a sign-in, that was used, or that has expired', async () => {
    const [ford, arthur] = [await person(railyard), await person(railyard)]
    const answering = async (who: Person) =>
      softwareAuthenticator(ORIGIN).create((await options(who)).body.options)
    const challenge = { status: 400, body: { details: [{ pointer: '/credential' }] } }
    expect(await add(arthur, await answering(ford))).toMatchObject(challenge)
    const { challenge: ofSignIn } = await signInOptions()
    const { options: asked } = (await options(ford)).body
    const crossed = softwareAuthenticator(ORIGIN).create(asked, { challenge: ofSignIn })
    expect(await add(ford, crossed)).toMatchObject(challenge)
    const used = await answering(ford)
    expect((await add(ford, used)).status).toBe(201)
    expect(await add(ford, used)).toMatchObject(challenge)
    const late = await answering(ford)
    railyard.clock.advance(5 * 60_000)
    expect(await add(ford, late)).toMatchObject(challenge)
  })

  test.each([
    ['in which the person was not verified', { verified: false }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another relying party', { rpId: 'evil.example' }],
    ['of a frame of another origin', { crossOrigin: true }],
  ])('by an answer %s', async (_, how) => {
    const ford = await person(railyard)
    const credential = softwareAuthenticator(ORIGIN).create((await options(ford)).body.options, how)
    expect(await add(ford, credential)).toMatchObject({ status: 400 })
    expect((await ford.get('/users/me/passkeys')).body.items).toEqual([])
  })

  test('by a body that is no answer of an authenticator', async () => {
    const ford = await person(railyard)
    for (const credential of [{}, { id: 'x', response: { clientDataJSON: '!' } }, { response: null }])
      expect(await add(ford, credential)).toMatchObject({ status: 400 })
  })

  test('twice, nor for a second person', async () => {
    const [ford, arthur] = [await person(railyard), await person(railyard)]
    const { authenticator } = await addPasskey(ford)
    const { options: asked } = (await options(ford)).body
    expect(asked.excludeCredentials).toMatchObject([{ id: authenticator.id }])
    for (const who of [ford, arthur])
      expect(await add(who, authenticator.create((await options(who)).body.options))).toMatchObject({
        status: 400,
      })
  })

  test('once its session has ended, while the request is under way', async () => {
    const ford = await person(railyard)
    const { items } = (await ford.get('/users/me/sessions')).body
    await ford.send('DELETE', '/sessions/current')
    const passkey = {
      name: 'Laptop',
      credential_id: Buffer.from('one'),
      public_key: Buffer.from('key'),
      counter: 0,
      transports: [],
    }
    expect(await insertPasskey(railyard.world, ford.id, passkey, items[0].id)).toBeUndefined()
  })

  test('on an address, which browsers make no passkeys for', async () => {
    const ford = await person(railyard)
    railyard.world.publicUrl = railyard.url
    try {
      expect((await options(ford)).status).toBe(400)
      expect((await anonymously(railyard, 'POST', '/sessions/passkey/options', undefined)).status).toBe(400)
    } finally {
      asHost(railyard)
    }
  })
})

test('a passkey is removed by its person, with a fresh proof only', async () => {
  const [ford, arthur] = [await person(railyard), await person(railyard)]
  const { id } = await addPasskey(ford)
  const remove = (who: Person, proof: object) => who.send('DELETE', `/users/me/passkeys/${id}`, proof)
  expect((await remove(ford, {})).status).toBe(422)
  expect((await remove(ford, { password: 'not the password 1' })).status).toBe(400)
  expect((await remove(arthur, { password: PASSWORD })).status).toBe(404)
  expect((await remove(ford, { password: PASSWORD })).status).toBe(204)
  expect((await ford.get('/users/me/passkeys')).body.items).toEqual([])
  expect(await newestEntries(1)).toMatchObject([{ action: 'deleted', resource: { type: 'passkey', id } }])
})

test('where a second factor is required, a session by passkey needs no authenticator app', async () => {
  const strict = await startTestRailyard({ SECOND_FACTOR: 'required' })
  try {
    const origin = asHost(strict)
    const ford = await person(strict)
    expect((await ford.get('/transactions')).status).toBe(403)
    const asked = await ford.send('POST', '/users/me/passkeys/options', { password: PASSWORD })
    const authenticator = softwareAuthenticator(origin)
    const added = await ford.send('POST', '/users/me/passkeys', {
      name: 'Laptop',
      credential: authenticator.create(asked.body.options),
    })
    expect(added.status).toBe(201)
    expect((await ford.get('/transactions')).status).toBe(200)
    const credential = authenticator.get(await signInOptions(strict))
    const signedIn = await anonymously(strict, 'POST', '/sessions/passkey', { credential })
    expect(signedIn.body).toMatchObject({ totp_enrollment_required: false })
    const browser = personOf(strict, signedIn)
    expect((await browser.get('/transactions')).status).toBe(200)
    // a stranger who knows the password could set up an app, or a passkey
    const byPassword = (password: string) =>
      anonymously(strict, 'POST', '/sessions', { email_address: ford.email, password })
    expect(await byPassword(PASSWORD)).toMatchObject({ status: 401, body: { code: 'passkey_required' } })
    expect(await byPassword('not the password 1')).toMatchObject(refused)
    const path = `/users/me/passkeys/${added.body.id}`
    expect((await browser.send('DELETE', path, { password: PASSWORD })).status).toBe(204)
    expect((await browser.get('/transactions')).status).toBe(403)
  } finally {
    await strict.close()
  }
})
