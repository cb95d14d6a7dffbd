import { roleBySlug } from '../../src/accounts/roles/role.ts'
import { softwareAuthenticator } from '../support/authenticator.ts'

export interface PersonAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: read by checks that assert what they read
  body: any
}

/** A person with a browser and a passkey, who decides on proposals. */
export interface Approver {
  id: string
  /** One attempt. Rejects if the service does not answer. */
  decide(proposal: { id: string; hash: string }, decision: 'approve' | 'reject'): Promise<PersonAnswer>
}

const PASSWORD = 'correct horse battery staple 42'

/** Invites a person, accepts the invitation and adds a passkey. `url` is the service's, by the name of its passkeys. */
export async function createApprover(
  url: string,
  invite: (user: object) => Promise<{ invitation_url: string }>,
  name: string,
): Promise<Approver> {
  const { invitation_url } = await invite({
    email_address: `${name}@example.com`,
    name,
    role_ids: [roleBySlug('administrator')?.id],
  })
  let headers: Record<string, string> = { 'content-type': 'application/json' }
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(new URL(path, url), {
      method: 'POST',
      headers,
      body: JSON.stringify(body ?? {}),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), answer }
  }
  const accepted = await post('/invitations/accept', {
    token: invitation_url.split('/').at(-1),
    password: PASSWORD,
  })
  if (accepted.status !== 201) throw new Error(`the invitation was answered ${accepted.status}`)
  headers = {
    ...headers,
    cookie: accepted.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    'x-csrf-token': accepted.body.csrf_token,
  }
  const authenticator = softwareAuthenticator(new URL(url).origin)
  const asked = await post('/users/me/passkeys/options', { password: PASSWORD })
  // a counter of 0: this authenticator counts nothing, and answers out of order
  const credential = authenticator.create(asked.body.options, { counter: 0 })
  const added = await post('/users/me/passkeys', { name: 'Key', credential })
  if (added.status !== 201) throw new Error(`the passkey was answered ${added.status}`)
  return {
    id: accepted.body.user.id,
    async decide({ id, hash }, decision) {
      const options = await post(`/proposals/${id}/passkey-options`, undefined)
      if (options.status !== 200) return options
      const proof = authenticator.get(options.body.options, { counter: 0 })
      return post(`/proposals/${id}/${decision}`, { hash, credential: proof })
    },
  }
}
