import { invalid, orNotFound } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import { wrongPartOf, wrongParts } from '../sign-in/sign-in.ts'
import { findUser } from '../users/user.store.ts'
import { isChallengeFor, takeChallenge } from './challenge.store.ts'
import { readAssertion } from './credential.ts'
import type { FreshProof } from './passkey.schema.ts'
import { findPasskey, recordPasskeyUse } from './passkey.store.ts'
import { verifiedCounter } from './passkey-sign-in.ts'

/**
 * Throws 400 unless the person proves again who they are: by the password, and by a code if they have an
 * authenticator app, since a passkey counts as both factors. The code alone is no proof: a stranger at an open
 * browser can set up an app. Wrong guesses count as they do at a sign-in.
 */
export async function requireFreshProof(
  world: World,
  id: string,
  { password, code }: FreshProof,
): Promise<void> {
  const { totp_secret } = orNotFound(await findUser(world, id))
  if (totp_secret !== null && code === undefined)
    throw invalid({ '/code': 'is needed: you use an authenticator app' })
  const wrong = await wrongPartOf(world, id, { password, ...(totp_secret !== null && { code }) })
  if (wrong) throw invalid(wrongParts[wrong])
}

/**
 * Throws 400 unless a passkey of the person has signed an open challenge of this session that was made for
 * `purpose`. An answer is good once.
 */
export async function requirePasskeyProof(
  world: World,
  person: { id: string; session: string },
  value: unknown,
  purpose: Buffer,
): Promise<void> {
  const assertion = readAssertion(value)
  const isTimely =
    assertion !== undefined &&
    isChallengeFor(assertion.challenge, purpose) &&
    (await takeChallenge(world, assertion.challenge, person.session))
  const passkey = isTimely && (await findPasskey(world, Buffer.from(assertion.credential.id, 'base64url')))
  const counter =
    passkey && passkey.user_id === person.id ? await verifiedCounter(world, assertion, passkey) : undefined
  if (!passkey || counter === undefined || !(await recordPasskeyUse(world.db, world, passkey.id, counter)))
    throw invalid({
      '/credential': 'is not the answer of one of your passkeys to an open challenge of this session',
    })
}
