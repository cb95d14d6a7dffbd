import type { Selectable } from 'kysely'
import type { UserTable } from '../../database/tables/accounts.ts'

/**
 * A person who has not signed in for this long is disabled until they accept a new invitation (PCI DSS 8.2.6:
 * 90 days).
 */
const IDLE_MS = 90 * 86_400_000

/** People whose last sign-in is before this time (ISO 8601) are disabled. `now` in milliseconds. */
export const idleCutoff = (now: number): string => new Date(now - IDLE_MS).toISOString()

/** `now` in milliseconds. */
export const isDisabled = (
  { status, last_signed_in_at }: Pick<Selectable<UserTable>, 'status' | 'last_signed_in_at'>,
  now: number,
): boolean =>
  status === 'active' && last_signed_in_at !== null && Date.parse(last_signed_in_at) < now - IDLE_MS
