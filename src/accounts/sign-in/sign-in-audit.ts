import { isWithinRate } from '../../api/auth/rate-limit.ts'
import { currentRequest, runAsRequest } from '../../api/request/request-context.ts'
import { type AuditedChange, recordChange } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import type { UserRow } from '../users/user.ts'

/** Why a password or a code did not sign in the person whose account was tried. */
export type FailedSignIn = 'wrong_password' | 'wrong_code' | 'disabled'

/** Does `work` as this person, whose request came without a session. */
export const runAsUser = <T>({ id, name, email_address }: Pick<UserRow, 'id' | 'name' | 'email_address'>, work: () => T): T =>
  runAsRequest({ id: '', ...currentRequest(), actor: { type: 'user', id, name, emailAddress: email_address } }, work)

/** A sign-in or a sign-out, with the address that it came from. */
export const sessionChange = (action: 'created' | 'deleted', id: string): AuditedChange => ({
  account: 'default',
  action,
  resource: { type: 'session', id, name: null },
  changes: { before: {}, after: clientAddressValues() },
})

const clientAddressValues = () => ({ ip_address: currentRequest()?.address ?? null })

const failedSignInChange = (of: Pick<UserRow, 'id' | 'name'>, after: Record<string, string | null>): AuditedChange => ({
  account: 'default',
  action: 'created',
  resource: { type: 'failed-sign-in', id: of.id, name: of.name },
  changes: { before: {}, after: { ...after, ...clientAddressValues() } },
})

/** A wrong guess at a person's account: the lock of the account bounds how many there are. `row` is what the guess left, with the lock where it locked the account. */
export const recordFailedSignIn = (world: World, row: UserRow, reason: FailedSignIn): Promise<void> =>
  runAsUser(row, () => recordChange(world.db, world, failedSignInChange(row, { reason, locked_until: row.locked_until })))

/** The account that nobody has. */
const unknownUser = { id: '00000000-0000-0000-0000-000000000000', name: 'unknown', email_address: '' }
/** How many entries a minute there are of attempts at no account, in the whole instance: clients choose how many attempts there are. Each of them is a line in the log. */
const UNKNOWN_SIGN_INS_PER_MINUTE = 5

/**
 * An attempt at an address that no person has who may sign in now: there is none, it is not accepted yet, or it is locked. The address is not kept, since people type passwords into the wrong field. It is
 * counted by a statement in any case, so that it takes about as long as an attempt at an account does.
 */
export async function recordUnknownSignIn(world: World): Promise<void> {
  if (!(await isWithinRate(world.run, world.machineClock, 'audited unknown sign-ins', UNKNOWN_SIGN_INS_PER_MINUTE))) return
  await runAsUser(unknownUser, () => recordChange(world.db, world, failedSignInChange(unknownUser, { reason: 'unknown_or_locked' })))
}
