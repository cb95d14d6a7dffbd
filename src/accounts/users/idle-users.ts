import type { Selectable } from 'kysely'
import type { UserTable } from '../../database/tables/accounts.ts'

/** A person who has not signed in for so long may not any more (PCI DSS 8.2.6: 90 days), until an invitation that is made again is accepted. */
const IDLE_MS = 90 * 86_400_000

/** People who signed in last before this time, ISO 8601, are disabled. */
export const idleCutoff = (now: number): string => new Date(now - IDLE_MS).toISOString()

/** `now` in milliseconds. */
export const isDisabled = ({ status, last_signed_in_at }: Pick<Selectable<UserTable>, 'status' | 'last_signed_in_at'>, now: number): boolean =>
  status === 'active' && last_signed_in_at !== null && Date.parse(last_signed_in_at) < now - IDLE_MS
