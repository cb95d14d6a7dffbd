import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { roleBySlug } from '../../src/accounts/roles/role.ts'
import type { Answer, Client, TestRailyard } from './railyard.ts'

/** A person with a browser, which stores the cookie and the CSRF token. */
export interface Person {
  id: string
  email: string
  password: string
  cookie: string
  csrf: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** POST, PUT, DELETE, with the CSRF token. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export const PASSWORD = 'correct horse battery staple 42'

let count = 0

export const roleIds = (...slugs: string[]): string[] => slugs.map((slug) => roleBySlug(slug)?.id ?? slug)

interface Invited {
  roles?: string[]
  merchantAccounts?: string[]
  email?: string
  by?: Pick<Client, 'post'>
}

/** Invites a person; returns the answer of `POST /users`. */
export function invite(
  railyard: TestRailyard,
  { roles = ['administrator'], merchantAccounts = [], email, by = railyard.admin }: Invited = {},
) {
  count += 1
  return by.post('/users', {
    email_address: email ?? `zaphod${count}@example.com`,
    name: `Person ${count}`,
    role_ids: roleIds(...roles),
    merchant_account_ids: merchantAccounts,
  })
}

export const tokenOf = (invited: Answer): string => invited.body.invitation_url.split('/').at(-1)

/** Sends a request without a bearer token or cookie. */
export const anonymously = (
  railyard: TestRailyard,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  railyard.send(method, path, {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

export const signIn = (
  railyard: TestRailyard,
  email: string,
  password = PASSWORD,
  more: Record<string, unknown> = {},
) => anonymously(railyard, 'POST', '/sessions', { email_address: email, password, ...more })

export const cookieOf = (answer: Answer): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''

/** The browser of a sign-in. `url` is another server of the same instance. */
export function personOf(railyard: TestRailyard, answer: Answer, password = PASSWORD): Person {
  const cookie = cookieOf(answer)
  const csrf = answer.body.csrf_token
  return {
    id: answer.body.user.id,
    email: answer.body.user.email_address,
    password,
    cookie,
    csrf,
    get: (path, headers) => railyard.send('GET', path, { headers: { cookie, ...headers } }),
    send: (method, path, body, headers) =>
      railyard.send(method, path, {
        headers: {
          cookie,
          'x-csrf-token': csrf,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

/** A person who has accepted an invitation and is signed in. */
export async function person(railyard: TestRailyard, options: Invited = {}): Promise<Person> {
  const invited = await invite(railyard, options)
  const accepted = await anonymously(railyard, 'POST', '/invitations/accept', {
    token: tokenOf(invited),
    password: PASSWORD,
  })
  // every sign-in counts against its address, and tests sign in many people
  railyard.clock.advance(10_000)
  return personOf(railyard, accepted)
}

/** The current code of an authenticator app with this secret. */
export const totpCode = ({ clock }: TestRailyard, secret: string): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now() })

/**
 * Sets up an authenticator app for a person. Returns its secret; by then the next code is current, since each
 * is valid once.
 */
export async function addApp(railyard: TestRailyard, who: Person): Promise<string> {
  const { secret } = (await who.send('POST', '/users/me/totp')).body
  expect(
    (await who.send('POST', '/users/me/totp/confirm', { code: totpCode(railyard, secret) })).status,
  ).toBe(200)
  railyard.clock.advance(31_000)
  return secret
}
