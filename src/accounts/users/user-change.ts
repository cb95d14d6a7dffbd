import type { AuditedChange } from '../../database/logs/audit-log.ts'
import type { AuditedValues } from '../../database/tables/accounts.ts'
import { auditedUser, type UserRow } from './user.ts'

export type UserValues = AuditedValues['before']

/**
 * The audit log's entry of a change to a person: the members that differ. `before` and `after` must not hold
 * a secret; in its place they say `set`, `changed`, `on` or `off`.
 */
export function userChange(row: UserRow, before: UserValues, after: UserValues): AuditedChange {
  const changed = Object.keys(after).filter((name) => before[name] !== after[name])
  const only = (values: UserValues) =>
    Object.fromEntries(changed.flatMap((name) => (name in values ? [[name, values[name] ?? null]] : [])))
  return {
    account: 'default',
    action: 'updated',
    resource: auditedUser(row),
    ...(changed.length > 0 && { changes: { before: only(before), after: only(after) } }),
  }
}

/** As the audit log says whether signing in needs a code of an authenticator app. */
export const auditedAuthenticator = ({ totp_secret }: Pick<UserRow, 'totp_secret'>) => ({
  authenticator_app: totp_secret === null ? 'off' : 'on',
})
