import type { Settings } from '../../settings.ts'
import type { UserRow } from '../users/user.ts'

/** Whether everybody needs an authenticator app (PCI DSS 8.4.2): in production, unless the operator says otherwise. */
const isRequired = ({ secondFactor, environment }: Pick<Settings, 'secondFactor' | 'environment'>): boolean =>
  (secondFactor ?? (environment === 'production' ? 'required' : 'optional')) === 'required'

/** Whether this person may only set up an authenticator app: nobody is locked out who had none when it became required. */
export const mustEnroll = (settings: Pick<Settings, 'secondFactor' | 'environment'>, { totp_secret }: Pick<UserRow, 'totp_secret'>): boolean =>
  totp_secret === null && isRequired(settings)
