import { sql } from 'kysely'
import { type Caller, canSeeAccount } from '../../api/auth/caller.ts'
import { forbidden, invalid } from '../../api/errors.ts'
import type { World } from '../../world.ts'

/**
 * Reads `ids`, the `merchant_account_ids` of a request for a person or a key pair: each account once; empty:
 * no limit. Throws 403 if that reaches further than the caller. `refuseUnknownAccounts` checks whether the
 * accounts exist.
 */
export function readAssignedAccounts(caller: Caller, ids: readonly string[]): string[] {
  const isLimited = caller.merchantAccountIds.length > 0
  if (isLimited && ids.length === 0)
    throw forbidden('You are limited to some merchant accounts and cannot give access to all of them')
  // the same answer whether or not the account exists
  if (ids.some((id) => !canSeeAccount(caller, id)))
    throw forbidden('One of the merchant accounts does not exist or you may not act on it')
  return [...new Set(ids)]
}

/** Throws 400 for each id that is not a merchant account's. */
export async function refuseUnknownAccounts(
  { db }: Pick<World, 'db'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const known = new Set(
    (
      await db.selectFrom('merchant_accounts').select('id').where(sql<boolean>`id = any(${ids})`).execute()
    ).map(({ id }) => id),
  )
  const unknown = ids.flatMap((id, index) =>
    known.has(id) ? [] : [[`/merchant_account_ids/${index}`, 'is not a merchant account'] as const],
  )
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown))
}

/**
 * Whether the caller may see a person or key pair with this limit to merchant accounts (empty: no limit):
 * only if the limit lies within the caller's own.
 */
export const isWithinCallerAccounts = (caller: Caller, merchantAccountIds: readonly string[]): boolean =>
  caller.merchantAccountIds.length === 0 ||
  (merchantAccountIds.length > 0 && merchantAccountIds.every((id) => canSeeAccount(caller, id)))
