import type { UserSessionTable } from '../../database/tables/accounts.ts'
import type { Settings } from '../../settings.ts'
import type { UserRow } from '../users/user.ts'

/** Whether each person needs an authenticator app (PCI DSS 8.4.2). Default: in production only. */
const isRequired = ({ secondFactor, environment }: Pick<Settings, 'secondFactor' | 'environment'>): boolean =>
  (secondFactor ?? (environment === 'production' ? 'required' : 'optional')) === 'required'

/**
 * Whether this person may only set up an authenticator app or a passkey. They can still sign in, so that
 * requiring a second factor locks no person out. A session by passkey has both factors.
 */
export const mustEnroll = (
  settings: Pick<Settings, 'secondFactor' | 'environment'>,
  { totp_secret }: Pick<UserRow, 'totp_secret'>,
  method: UserSessionTable['method'],
): boolean => totp_secret === null && method !== 'passkey' && isRequired(settings)
