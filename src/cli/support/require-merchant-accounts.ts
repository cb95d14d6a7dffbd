import type { Database } from '../../database/database.ts'
import { UserError } from './user-error.ts'

/** Throws `UserError` for the first of these ids that is not a merchant account's. */
export async function requireMerchantAccounts(
  { db }: Pick<Database, 'db'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const found = await db.selectFrom('merchant_accounts').select('id').where('id', 'in', ids).execute()
  const unknown = ids.find((id) => !found.some((account) => account.id === id))
  if (unknown !== undefined) throw new UserError(`there is no merchant account ${unknown}`)
}
