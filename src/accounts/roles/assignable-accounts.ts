import { sql } from 'kysely'
import { type Caller, canSeeAccount } from '../../api/auth/caller.ts'
import { forbidden, invalid } from '../../api/errors.ts'
import type { World } from '../../world.ts'

/**
 * The merchant accounts that `ids`, the `merchant_account_ids` of a request, limit a person or a key pair to, each once; empty: to none, every account is open.
 * Throws 403 where that reaches further than the caller does. Whether an account exists, `refuseUnknownAccounts` asks.
 */
export function readAssignedAccounts(caller: Caller, ids: readonly string[]): string[] {
  const limited = caller.merchantAccountIds.length > 0
  if (limited && ids.length === 0) throw forbidden('You are limited to some merchant accounts and cannot give access to all of them')
  // whether it exists is not told
  if (ids.some((id) => !canSeeAccount(caller, id))) throw forbidden('One of the merchant accounts does not exist or you may not act on it')
  return [...new Set(ids)]
}

/** Throws 400 where there is no such merchant account. */
export async function refuseUnknownAccounts({ db }: Pick<World, 'db'>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const known = new Set((await db.selectFrom('merchant_accounts').select('id').where(sql<boolean>`id = any(${ids})`).execute()).map(({ id }) => id))
  const unknown = ids.flatMap((id, index) => (known.has(id) ? [] : [[`/merchant_account_ids/${index}`, 'is not a merchant account'] as const]))
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown))
}

/** Whether somebody with these accounts (empty: all) is shown to the caller: who is limited to some accounts learns of nobody who reaches further. */
export const isWithinCallerAccounts = (caller: Caller, merchantAccountIds: readonly string[]): boolean =>
  caller.merchantAccountIds.length === 0 || (merchantAccountIds.length > 0 && merchantAccountIds.every((id) => canSeeAccount(caller, id)))
