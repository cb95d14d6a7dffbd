import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../../api/errors.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { rowContext } from '../envelope.ts'
import type { WrappedKey } from './key-provider.ts'
import { rewrapRootSecrets } from './root-secret.ts'

/**
 * Every table whose rows have an envelope (vault/envelope.ts): columns merchant_account_id, id, key_id,
 * data_key.
 */
export const envelopeTables = [
  'payment_methods',
  'gift_cards',
  'checkout_sessions',
  'security_codes',
  'apple_pay_certificates',
  'network_tokens',
  'payment_service_tokens',
  'card_replacements',
  'held_instruments',
  'delegated_payments',
] as const satisfies readonly (keyof Tables)[]

type Vault = Pick<World, 'db' | 'run' | 'keys'>

export interface Rotation {
  /** The master key under which everything is wrapped now, but for `lost`. */
  keyId: string
  /** The secrets that this run has wrapped, the root secrets among them. */
  rewrapped: number
  /** The number of secrets whose master key is not available, by its id: they are left as they are. */
  lost: Map<string, number>
  /** True if a signal stopped it before the end. */
  stopped: boolean
}

export interface RotationOptions {
  signal?: AbortSignal
  /** Rows in one statement. */
  batch?: number
  /** Called after each batch with the number of secrets that this run has wrapped. */
  progress?: (table: string, rewrapped: number) => void
}

interface SealedRow {
  merchant_account_id: string
  id: string
  key_id: string
  data_key: Buffer
}

const BATCH = 500
const BUSY_MS = 200

/**
 * Wraps the root secrets and the data key of every envelope under the current master key; what is sealed
 * under a data key is not touched. Each batch is one statement and one commit, so that the next run continues
 * after any interruption. Rows that another process locks or changes meanwhile are tried again in the next
 * round.
 */
export async function rewrapAll(
  vault: Vault,
  { signal, batch = BATCH, progress }: RotationOptions = {},
): Promise<Rotation> {
  let rewrapped = 0
  for (;;) {
    // in each round, as a key service may rotate its key meanwhile
    const keyId = await vault.keys.currentKeyId()
    const before = rewrapped
    const lost = new Map<string, number>()
    let skipped = 0
    rewrapped += await rewrapRootSecrets(vault.db, vault.keys, keyId)
    for (const table of envelopeTables) {
      for await (const done of rewrapTable(vault, table, keyId, batch)) {
        rewrapped += done.rewrapped
        skipped += done.skipped
        for (const id of done.lost) lost.set(id, (lost.get(id) ?? 0) + 1)
        progress?.(table, rewrapped)
        if (signal?.aborted) return { keyId, rewrapped, lost, stopped: true }
      }
    }
    if (rewrapped === before && skipped === 0) return { keyId, rewrapped, lost, stopped: false }
    if (skipped > 0) await wait(BUSY_MS)
    if (signal?.aborted) return { keyId, rewrapped, lost, stopped: true }
  }
}

async function* rewrapTable(vault: Vault, table: string, keyId: string, batch: number) {
  let last: SealedRow | undefined
  for (;;) {
    const rows: SealedRow[] = last
      ? await nextRows(table).run<SealedRow>(vault, {
          keyId,
          batch,
          account: last.merchant_account_id,
          id: last.id,
        })
      : await vault.run<SealedRow>(firstRows(table), [keyId, batch])
    last = rows.at(-1)
    if (!last) return
    yield await rewrapBatch(vault, table, rows)
  }
}

const firstRows = (table: string) => `
select merchant_account_id, id, key_id, data_key
  from ${table}
 where key_id <> $1
 order by merchant_account_id, id
 limit $2`

const nextRows = (table: string) =>
  namedStatement(
    ['keyId', 'batch', 'account', 'id'],
    (p) => `
select merchant_account_id, id, key_id, data_key
  from ${table}
 where key_id <> ${p.keyId}
   and (merchant_account_id, id) > (${p.account}, ${p.id})
 order by merchant_account_id, id
 limit ${p.batch}`,
  )

async function rewrapBatch(vault: Vault, table: string, rows: SealedRow[]) {
  const answers = await Promise.all(rows.map((row) => rewrap(vault, table, row)))
  const fresh = answers.flatMap(({ row, wrapped }) => (wrapped ? [{ row, wrapped }] : []))
  let rewrapped = 0
  for (const [account, ofAccount] of Map.groupBy(fresh, ({ row }) => row.merchant_account_id)) {
    const done = await replaceDataKeys(table).run(vault, {
      account,
      ids: ofAccount.map(({ row }) => row.id),
      oldDataKeys: ofAccount.map(({ row }) => row.data_key),
      keyIds: ofAccount.map(({ wrapped }) => wrapped.keyId),
      dataKeys: ofAccount.map(({ wrapped }) => wrapped.wrapped),
    })
    rewrapped += done.length
  }
  const lost = answers.flatMap(({ row, wrapped }) => (wrapped ? [] : [row.key_id]))
  return { rewrapped, skipped: fresh.length - rewrapped, lost }
}

/**
 * A data key that cannot be unwrapped stays as it is, and does not stop the rotation of the others. A key
 * service that does not answer stops it.
 */
async function rewrap(
  { keys }: Vault,
  table: string,
  row: SealedRow,
): Promise<{ row: SealedRow; wrapped?: WrappedKey }> {
  const context = rowContext(table, row.merchant_account_id, row.id)
  const dataKey = await keys.unwrap({ keyId: row.key_id, wrapped: row.data_key }, context).catch((error) => {
    if (error instanceof ApiError) throw error
    return undefined
  })
  if (!dataKey) return { row }
  const wrapped = await keys.wrap(dataKey, context)
  dataKey.fill(0)
  return { row, wrapped }
}

/**
 * Compare and set: a row that was sealed again since it was read has another data key, and keeps it. A row
 * that a payment has locked is skipped, so that neither waits for the other.
 */
const replaceDataKeys = (table: string) =>
  namedStatement(
    ['account', 'ids', 'oldDataKeys', 'keyIds', 'dataKeys'],
    (p) => `
with fresh as (
  select *
    from unnest(${p.ids}::uuid[], ${p.oldDataKeys}::bytea[], ${p.keyIds}::text[], ${p.dataKeys}::bytea[])
      as each (id, old_data_key, key_id, data_key)
), locked as (
  select fresh.*
    from ${table} stored
    join fresh
      on stored.id = fresh.id
   where stored.merchant_account_id = ${p.account}
     and stored.data_key = fresh.old_data_key
     for update of stored skip locked
)
update ${table} stored
   set key_id = locked.key_id,
       data_key = locked.data_key
  from locked
 where stored.merchant_account_id = ${p.account}
   and stored.id = locked.id
   and stored.data_key = locked.old_data_key
returning stored.id`,
  )

/** The number of secrets under each master key, by its id; a root secret counts as one. */
export async function secretsByKey({ run }: Pick<World, 'run'>): Promise<Map<string, number>> {
  const tables = [
    'select key_id from root_secret',
    ...envelopeTables.map((table) => `select key_id from ${table} where key_id is not null`),
  ]
  const rows = await run<{ key_id: string; count: number }>(
    `select key_id, count(*)::int as count from (${tables.join(' union all ')}) sealed group by key_id`,
    [],
  )
  return new Map(rows.map(({ key_id, count }) => [key_id, count]))
}
