import { isWithinRate } from '../../api/auth/rate-limit.ts'
import { currentRequest, runAsRequest } from '../../api/request/request-context.ts'
import { type AuditedChange, recordChange } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import type { UserRow } from '../users/user.ts'

/** Why an attempt at an existing account failed. */
export type FailedSignIn = 'wrong_password' | 'wrong_code' | 'wrong_passkey' | 'disabled'

/** Runs `work` with this person as the actor of a request that came without a session. */
export const runAsUser = <T>(
  { id, name, email_address }: Pick<UserRow, 'id' | 'name' | 'email_address'>,
  work: () => T,
): T =>
  runAsRequest(
    { id: '', ...currentRequest(), actor: { type: 'user', id, name, emailAddress: email_address } },
    work,
  )

/** The audit log's entry of a sign-in or a sign-out, with the client's address. */
export const sessionChange = (action: 'created' | 'deleted', id: string): AuditedChange => ({
  account: 'default',
  action,
  resource: { type: 'session', id, name: null },
  changes: { before: {}, after: clientAddressValues() },
})

const clientAddressValues = () => ({ ip_address: currentRequest()?.address ?? null })

const failedSignInChange = (
  { id, name }: Pick<UserRow, 'id' | 'name'>,
  after: Record<string, string | null>,
): AuditedChange => ({
  account: 'default',
  action: 'created',
  resource: { type: 'failed-sign-in', id, name },
  changes: { before: {}, after: { ...after, ...clientAddressValues() } },
})

/**
 * Records a wrong guess at an account; the account's lock bounds how many there can be. `row` is the person
 * after the guess was counted.
 */
export const recordFailedSignIn = (world: World, row: UserRow, reason: FailedSignIn): Promise<void> =>
  runAsUser(row, () =>
    recordChange(world.db, world, failedSignInChange(row, { reason, locked_until: row.locked_until })),
  )

/** Stands in the audit log for a person who does not exist. */
const unknownUser = { id: '00000000-0000-0000-0000-000000000000', name: 'unknown', email_address: '' }
/**
 * Entries a minute in the whole instance, since clients choose how many attempts there are. The log has a
 * line for each attempt.
 */
const UNKNOWN_SIGN_INS_PER_MINUTE = 5

/**
 * Records an attempt at an address under which no person may sign in now: unknown, not accepted yet, or
 * locked. The address is not recorded, since people type passwords into the wrong field. A statement counts
 * the attempt in any case, so that it takes about as long as an attempt at an account.
 */
export async function recordUnknownSignIn(world: World): Promise<void> {
  if (
    !(await isWithinRate(
      world.run,
      world.machineClock,
      'audited unknown sign-ins',
      UNKNOWN_SIGN_INS_PER_MINUTE,
    ))
  )
    return
  await runAsUser(unknownUser, () =>
    recordChange(world.db, world, failedSignInChange(unknownUser, { reason: 'unknown_or_locked' })),
  )
}
