import type { Settings } from '../../settings.ts'
import type { UserRow } from '../users/user.ts'

/** Whether each person needs an authenticator app (PCI DSS 8.4.2). Default: in production only. */
const isRequired = ({ secondFactor, environment }: Pick<Settings, 'secondFactor' | 'environment'>): boolean =>
  (secondFactor ?? (environment === 'production' ? 'required' : 'optional')) === 'required'

/**
 * Whether this person may only set up an authenticator app. They can still sign in, so that requiring the app
 * locks no person out.
 */
export const mustEnroll = (
  settings: Pick<Settings, 'secondFactor' | 'environment'>,
  { totp_secret }: Pick<UserRow, 'totp_secret'>,
): boolean => totp_secret === null && isRequired(settings)
