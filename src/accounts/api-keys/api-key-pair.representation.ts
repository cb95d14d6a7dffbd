import { type Selectable, sql } from 'kysely'
import type { ApiKeyPairTable, MerchantAccountTable } from '../../database/tables/accounts.ts'
import type { World } from '../../world.ts'
import type { MerchantAccountSummary } from '../merchant-accounts/merchant-account.schema.ts'
import { showRole } from '../roles/role.representation.ts'
import { rolesBySlugs } from '../roles/role.ts'
import type { ApiKeyPair } from './api-key-pair.schema.ts'
import { toApiAlgorithm } from './public-key.ts'

type Row = Selectable<ApiKeyPairTable>

/** A key pair as the API shows it, without the private key, which only its owner has. */
export async function showKeyPair({ db }: Pick<World, 'db'>, row: Row): Promise<ApiKeyPair> {
  const [shown] = await showKeyPairs({ db }, [row])
  if (!shown) throw new Error('one row shows one key pair')
  return shown
}

/** Key pairs as the API shows them, with one query for the merchant accounts of all. */
export async function showKeyPairs({ db }: Pick<World, 'db'>, rows: readonly Row[]): Promise<ApiKeyPair[]> {
  const ids = [...new Set(rows.flatMap((row) => row.merchant_account_ids))]
  const accounts =
    ids.length > 0
      ? await db.selectFrom('merchant_accounts').selectAll().where(sql<boolean>`id = any(${ids})`).execute()
      : []
  const byId = new Map(accounts.map((account) => [account.id, summaryOf(account)]))
  return rows.map((row) => ({
    type: 'api-key-pair',
    id: row.id,
    thumbprint: row.thumbprint,
    display_name: row.display_name,
    algorithm: toApiAlgorithm(row.algorithm),
    active: row.active,
    private_key: null,
    creator: row.creator,
    merchant_accounts: row.merchant_account_ids
      .map((id) => byId.get(id))
      .filter((account) => account !== undefined),
    merchant_account_required: row.merchant_account_required,
    roles: rolesBySlugs(row.role_ids).map(showRole),
    last_used_at: row.last_used_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

const summaryOf = (row: Selectable<MerchantAccountTable>): MerchantAccountSummary => ({
  type: 'merchant-account',
  id: row.id,
  display_name: row.display_name,
  created_at: row.created_at,
  updated_at: row.updated_at,
  over_capture_amount: row.over_capture_amount,
  over_capture_percentage: row.over_capture_percentage,
})
