import type { AuditedChange } from '../../database/logs/audit-log.ts'
import type { AuditedValues } from '../../database/tables/accounts.ts'
import { auditedUser, type UserRow } from './user.ts'

export type UserValues = AuditedValues['before']

/** What the audit log says of a change of a person: the members that differ. `before` and `after` hold no secret, and say of one that it was `set`, `changed`, `on` or `off`. */
export function userChange(row: UserRow, before: UserValues, after: UserValues): AuditedChange {
  const changed = Object.keys(after).filter((name) => before[name] !== after[name])
  const only = (values: UserValues) => Object.fromEntries(changed.flatMap((name) => (name in values ? [[name, values[name] ?? null]] : [])))
  return {
    account: 'default',
    action: 'updated',
    resource: auditedUser(row),
    ...(changed.length > 0 && { changes: { before: only(before), after: only(after) } }),
  }
}

/** Whether signing in needs a code of an authenticator app. */
export const auditedAuthenticator = ({ totp_secret }: Pick<UserRow, 'totp_secret'>) => ({ authenticator_app: totp_secret === null ? 'off' : 'on' })
