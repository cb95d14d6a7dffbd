import { ApiError } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import { type OpenedSession, openSession } from '../sign-in/session.store.ts'
import { countSignInAttempt, recordSignIn, userDisabled } from '../sign-in/sign-in.ts'
import { recordFailedSignIn, recordUnknownSignIn, runAsUser } from '../sign-in/sign-in-audit.ts'
import { isDisabled } from '../users/idle-users.ts'
import type { UserRow } from '../users/user.ts'
import { takeChallenge } from './challenge.store.ts'
import { readAssertion } from './credential.ts'
import { findPasskey, type PasskeyRow, recordPasskeyUse } from './passkey.store.ts'
import { relyingParty, webAuthn } from './relying-party.ts'

type Assertion = NonNullable<ReturnType<typeof readAssertion>>

/**
 * The same answer for an unknown passkey, a challenge that is used or expired, a wrong signature and a locked
 * account. `reason` is for the log.
 */
const passkeyRefused = (reason: string) =>
  new ApiError(
    401,
    'unauthorized',
    'The passkey is not known here or was not verified in time, or there were too many attempts',
    { reason },
  )

/** Signs a person in with a passkey, which counts as both factors. Throws 401. */
export async function signInByPasskey(
  world: World,
  value: unknown,
): Promise<{ row: UserRow; session: OpenedSession }> {
  const assertion = readAssertion(value)
  const isTimely = assertion !== undefined && (await takeChallenge(world, assertion.challenge, null))
  const passkey = assertion && (await findPasskey(world, Buffer.from(assertion.credential.id, 'base64url')))
  const row = isTimely && passkey ? await countSignInAttempt(world, { id: passkey.user_id }) : undefined
  if (!assertion || !passkey || !row) {
    await recordUnknownSignIn(world)
    throw passkeyRefused('the challenge or the passkey is unknown, or its person may not sign in now')
  }
  const counter = await verifiedCounter(world, assertion, passkey)
  if (counter === undefined) {
    await recordFailedSignIn(world, row, 'wrong_passkey')
    throw passkeyRefused(
      `wrong answer of a passkey of user ${row.id}${row.locked_until ? `, locked until ${row.locked_until}` : ''}`,
    )
  }
  if (isDisabled(row, world.clock.now())) {
    await recordFailedSignIn(world, row, 'disabled')
    throw userDisabled(row.id)
  }
  return completeSignIn(world, row, passkey, counter)
}

/** The counter of an answer that is right and in which the authenticator has verified the person. */
export async function verifiedCounter(
  world: World,
  { credential, challenge }: Assertion,
  { user_id, public_key, counter }: PasskeyRow,
): Promise<number | undefined> {
  const { userHandle } = credential.response
  if (userHandle != null && Buffer.from(userHandle, 'base64url').toString() !== user_id) return undefined
  const { id, origin } = relyingParty(world)
  const { clientDataJSON, authenticatorData, signature } = credential.response
  const { verifyAuthenticationResponse } = await webAuthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: credential.id,
        rawId: credential.rawId,
        type: credential.type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: credential.id, publicKey: Uint8Array.from(public_key), counter },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // the library throws for every answer that breaks a rule, and its messages repeat the answer
    return undefined
  }
}

/** Opens the session. Throws 401 if the person was deleted, or the passkey removed or used, meanwhile. */
const completeSignIn = (world: World, { id }: UserRow, passkey: PasskeyRow, counter: number) =>
  world.db.transaction().execute(async (db) => {
    const row = await recordSignIn(db, world, id)
    if (!row || !(await recordPasskeyUse(db, world, passkey.id, counter)))
      throw passkeyRefused(`a passkey of user ${id} was removed, or used twice`)
    return { row, session: await runAsUser(row, () => openSession(db, world, id, 'passkey')) }
  })
