import { beforeEach, describe, expect, test } from 'vitest'
import {
  anonymously,
  invite,
  PASSWORD,
  type Person,
  person,
  signIn,
  tokenOf,
  totpCode,
} from '../../../test/support/people.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { networkOf } from '../../api/request/client-address.ts'

const railyard = await startRailyardForFile({ TRUSTED_PROXIES: '1' })
// the attempts of one test do not count for the next
beforeEach(() => railyard.clock.advance(61_000))

const MINUTE = 60_000
const WRONG = 'not the right password'
const statusAndBody = ({ status, body }: Answer) => ({ status, body })
/** The headers of a client at this address. */
const from = (address: string) => ({ 'x-forwarded-for': address })
let addresses = 0
/** A sign-in from a new address each time. */
const guess = (email: string, password = WRONG, more: Record<string, unknown> = {}) => {
  addresses += 1
  const address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  return anonymously(
    railyard,
    'POST',
    '/sessions',
    { email_address: email, password, ...more },
    from(address),
  )
}

async function wrongGuesses(email: string, times: number) {
  for (let time = 0; time < times; time++) expect((await guess(email)).status).toBe(401)
}

describe('a client that guesses passwords', () => {
  test('is told the same of a wrong address, a wrong password, a locked account and one that is not accepted yet', async () => {
    const [active, locked] = [await person(railyard), await person(railyard)]
    const pending = await invite(railyard)
    await wrongGuesses(locked.email, 5)
    const answers = [
      await guess('nobody@example.com'),
      await guess(active.email),
      await guess(locked.email),
      await guess(locked.email, PASSWORD),
      await guess(pending.body.email_address),
    ].map(statusAndBody)
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'unauthorized', details: [] } })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect((await railyard.send('GET', '/metrics')).body).toMatch(
      /railyard_sign_in_failures_total\{reason="unauthorized"\} [1-9]/,
    )
  })

  test('locks the account with five wrong passwords in a row: for a minute, then two, then four', async () => {
    const { email } = await person(railyard)
    await wrongGuesses(email, 4)
    expect((await guess(email, PASSWORD)).status).toBe(201)
    await wrongGuesses(email, 5)
    for (const minutes of [1, 2, 4]) {
      expect((await guess(email, PASSWORD)).status).toBe(401)
      railyard.clock.advance(minutes * MINUTE - 20_000)
      expect((await guess(email, PASSWORD)).status).toBe(401)
      railyard.clock.advance(20_000)
      expect((await guess(email)).status).toBe(401)
    }
    railyard.clock.advance(8 * MINUTE)
    expect((await guess(email, PASSWORD)).status).toBe(201)
    await wrongGuesses(email, 1)
    expect((await guess(email, PASSWORD)).status).toBe(201)
  })

  test('locks the account for an hour at most, however often it was wrong', async () => {
    const { id, email } = await person(railyard)
    await railyard.world.db
      .updateTable('users')
      .set({ failed_attempts: 2_000_000 })
      .where('id', '=', id)
      .execute()
    await wrongGuesses(email, 1)
    railyard.clock.advance(59 * MINUTE)
    expect((await guess(email, PASSWORD)).status).toBe(401)
    railyard.clock.advance(MINUTE)
    expect((await guess(email, PASSWORD)).status).toBe(201)
  })

  test('a hundred times at once has had five guesses', async () => {
    const { id, email } = await person(railyard)
    const odd = 50
    const guesses = Array.from({ length: 100 }, (_, index) =>
      guess(email, index === odd ? `${WRONG} too` : WRONG),
    )
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401]))
    const row = await railyard.world.db
      .selectFrom('users')
      .select(['failed_attempts', 'locked_until'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ failed_attempts: 5, locked_until: expect.any(String) })
    expect((await guess(email, PASSWORD)).status).toBe(401)
  })

  test('at many accounts from one address is slowed down, and clients at other addresses are not', async () => {
    const { email } = await person(railyard)
    const attempt = (address: string, emailAddress = 'nobody@example.com') =>
      anonymously(
        railyard,
        'POST',
        '/sessions',
        { email_address: emailAddress, password: PASSWORD },
        from(address),
      )
    const statuses = []
    for (let time = 0; time < 21; time++) statuses.push((await attempt('192.0.2.1')).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect(await attempt('192.0.2.1', email)).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests' },
    })
    expect((await attempt('192.0.2.2', email)).status).toBe(201)
    railyard.clock.advance(61_000)
    expect((await attempt('192.0.2.1', email)).status).toBe(201)
  })

  test('leaves a line in the log that names the account, never what was typed', async () => {
    const { id, email } = await person(railyard)
    railyard.logged.length = 0
    await guess(email, 'typed by mistake 1')
    await guess('secret-typed-as-address@example.com', 'typed by mistake 2')
    const log = railyard.logged.join('')
    expect(log).toContain(`wrong password of user ${id}`)
    expect(log).not.toMatch(/typed/)
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:0DB8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['x'.repeat(10_000), 'unknown'],
])('attempts from %s count for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

describe('with an authenticator app', () => {
  const codeOf = (secret: string) => totpCode(railyard, secret)

  async function withApp(): Promise<{ ford: Person; secret: string }> {
    const ford = await person(railyard)
    const made = await ford.send('POST', '/users/me/totp')
    expect(made).toMatchObject({
      status: 201,
      body: { type: 'totp-secret', secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
    })
    expect(made.body.uri).toContain(`otpauth://totp/Railyard:${encodeURIComponent(ford.email)}?`)
    expect((await signIn(railyard, ford.email)).status).toBe(201)
    expect(
      (await ford.send('POST', '/users/me/totp/confirm', { code: codeOf(made.body.secret) })).body,
    ).toMatchObject({ totp_enabled: true })
    railyard.clock.advance(31_000)
    return { ford, secret: made.body.secret }
  }

  test('signing in needs a code, which is told after the right password only', async () => {
    const { ford, secret } = await withApp()
    expect((await guess(ford.email)).body.code).toBe('unauthorized')
    expect(await guess(ford.email, PASSWORD)).toMatchObject({ status: 401, body: { code: 'totp_required' } })
    expect(await guess(ford.email, PASSWORD, { totp_code: codeOf(secret) })).toMatchObject({
      status: 201,
      body: { user: { totp_enabled: true } },
    })
  })

  test('a code is good once, also when it comes twice at the same time', async () => {
    const { ford, secret } = await withApp()
    const totp_code = codeOf(secret)
    const answers = await Promise.all([1, 2, 3].map(() => guess(ford.email, PASSWORD, { totp_code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
    expect(await guess(ford.email, PASSWORD, { totp_code })).toMatchObject({
      status: 401,
      body: { code: 'totp_invalid' },
    })
    railyard.clock.advance(30_000)
    expect((await guess(ford.email, PASSWORD, { totp_code: codeOf(secret) })).status).toBe(201)
  })

  test('the code of the time step before is accepted, an older one is not', async () => {
    const { ford, secret } = await withApp()
    const totp_code = codeOf(secret)
    railyard.clock.advance(90_000)
    expect((await guess(ford.email, PASSWORD, { totp_code })).status).toBe(401)
    const later = codeOf(secret)
    railyard.clock.advance(30_000)
    expect((await guess(ford.email, PASSWORD, { totp_code: later })).status).toBe(201)
  })

  test('guessing codes locks the account, also when sign-ins without a code come in between', async () => {
    const { ford, secret } = await withApp()
    for (let time = 0; time < 5; time++) {
      expect((await guess(ford.email, PASSWORD)).body.code).toBe('totp_required')
      const wrong = codeOf(secret) === '000000' ? '000001' : '000000'
      expect((await guess(ford.email, PASSWORD, { totp_code: wrong })).body.code).toBe('totp_invalid')
    }
    expect((await guess(ford.email, PASSWORD, { totp_code: codeOf(secret) })).body.code).toBe('unauthorized')
  })

  test('it is neither replaced nor removed with the password alone', async () => {
    const { ford, secret } = await withApp()
    const remove = (proof: object) => ford.send('DELETE', '/users/me/totp', proof)
    expect((await ford.send('POST', '/users/me/totp')).status).toBe(400)
    for (const proof of [{}, { password: WRONG }, { password: PASSWORD }])
      expect(await remove(proof)).toMatchObject({ status: 400, body: { details: [{ pointer: '/code' }] } })
    expect(await remove({ password: WRONG, code: codeOf(secret) })).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/password' }] },
    })
    expect((await remove({ code: codeOf(secret) })).status).toBe(204)
    expect((await guess(ford.email, PASSWORD)).status).toBe(201)
  })

  test('a secret that is not confirmed yet is not needed to sign in, and only its own codes confirm it', async () => {
    const ford = await person(railyard)
    const [first, second] = [
      await ford.send('POST', '/users/me/totp'),
      await ford.send('POST', '/users/me/totp'),
    ]
    expect(
      (await ford.send('POST', '/users/me/totp/confirm', { code: codeOf(first.body.secret) })).status,
    ).toBe(400)
    expect((await guess(ford.email, PASSWORD)).status).toBe(201)
    expect(
      (await ford.send('POST', '/users/me/totp/confirm', { code: codeOf(second.body.secret) })).status,
    ).toBe(200)
  })

  test('an invitation removes the app and the password: it is the way back for a person who has lost their telephone', async () => {
    const { ford } = await withApp()
    const link = await railyard.admin.post(`/users/${ford.id}/invitation`)
    expect((await guess(ford.email, PASSWORD)).body.code).toBe('totp_required')
    await anonymously(railyard, 'POST', '/invitations/accept', {
      token: tokenOf(link),
      password: 'another long password 43',
    })
    expect((await guess(ford.email, 'another long password 43')).body).toMatchObject({
      user: { totp_enabled: false },
    })
  })
})
