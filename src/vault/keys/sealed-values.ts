import { type Purpose, sealedPrefix } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/**
 * A column whose values are sealed by the instance's cipher and outlive the payment for which they were
 * sealed.
 */
interface SealedColumn {
  table: string
  column: string
  purpose: Purpose
  /** The columns of the primary key, with their types; the context of a value is made of them. */
  key: readonly (readonly [name: string, type: 'text' | 'uuid' | 'int'])[]
  contextOf: (key: readonly string[]) => string
  /** The number of rows in one statement. */
  batch: number
}

const BATCH = 200

const joined = (key: readonly string[]) => key.join('/')
const idAlone = (key: readonly string[]) => key.at(-1) ?? ''
const ofAccount = [
  ['merchant_account_id', 'text'],
  ['id', 'uuid'],
] as const
const byId = [['id', 'uuid']] as const

const service = (table: string, purpose: Purpose): SealedColumn => ({
  table,
  column: 'secrets',
  purpose,
  key: ofAccount,
  contextOf: joined,
  batch: BATCH,
})
const totp = (column: string): SealedColumn => ({
  table: 'users',
  column,
  purpose: 'user-totp',
  key: byId,
  contextOf: idAlone,
  batch: BATCH,
})

const proposal = (column: string, purpose: Purpose): SealedColumn => ({
  table: 'proposals',
  column,
  purpose,
  key: ofAccount,
  contextOf: joined,
  batch: BATCH,
})

export const sealedColumns: readonly SealedColumn[] = [
  service('payment_services', 'payment-service-fields'),
  service('anti_fraud_services', 'anti-fraud-service-fields'),
  service('gift_card_services', 'gift-card-service-fields'),
  {
    table: 'merchant_accounts',
    column: 'secrets',
    purpose: 'merchant-account-secrets',
    key: [['id', 'text']],
    contextOf: idAlone,
    batch: BATCH,
  },
  {
    table: 'webhook_subscriptions',
    column: 'secrets',
    purpose: 'webhook-subscription-secrets',
    key: byId,
    contextOf: idAlone,
    batch: BATCH,
  },
  {
    table: 'agentic_sellers',
    column: 'secrets',
    purpose: 'agentic-seller-secret',
    key: byId,
    contextOf: idAlone,
    batch: BATCH,
  },
  totp('totp_secret'),
  totp('totp_candidate'),
  {
    table: 'payment_links',
    column: 'secrets',
    purpose: 'payment-link',
    key: ofAccount,
    contextOf: idAlone,
    batch: BATCH,
  },
  proposal('body', 'proposal-body'),
  proposal('answer', 'proposal-answer'),
  {
    table: 'report_chunks',
    column: 'content',
    purpose: 'report-file',
    key: [
      ['merchant_account_id', 'text'],
      ['report_execution_id', 'uuid'],
      ['number', 'int'],
    ],
    contextOf: joined,
    // up to a megabyte each
    batch: 10,
  },
]

type Vault = Pick<World, 'run' | 'cipher'>

export interface Resealing {
  /** The number of values that this run has sealed again. */
  resealed: number
  /** The number of values that do not open, by their table: they are left as they are. */
  lost: Map<string, number>
  /** True if a signal stopped it before the end. */
  stopped: boolean
}

export interface ResealOptions {
  signal?: AbortSignal
  /** Called after each batch with the number of values that this run has sealed again. */
  progress?: (table: string, resealed: number) => void
}

/**
 * Seals under the current generation every value that is under an earlier one. Each batch is one statement
 * and one commit, so that the next run continues after any interruption. A value that is replaced meanwhile
 * is left to the next round; rounds continue until one finds nothing to do.
 */
export async function resealAll(vault: Vault, { signal, progress }: ResealOptions = {}): Promise<Resealing> {
  let resealed = 0
  for (;;) {
    const lost = new Map<string, number>()
    let found = 0
    for (const column of sealedColumns) {
      for await (const { rows, done, failed } of resealColumn(vault, column)) {
        found += rows - failed
        resealed += done
        if (failed > 0) lost.set(column.table, (lost.get(column.table) ?? 0) + failed)
        progress?.(column.table, resealed)
        if (signal?.aborted) return { resealed, lost, stopped: true }
      }
    }
    if (found === 0) return { resealed, lost, stopped: false }
  }
}

interface SealedRow {
  key: string[]
  sealed: Buffer
}

async function* resealColumn(vault: Vault, column: SealedColumn) {
  let last: SealedRow | undefined
  for (;;) {
    const rows: SealedRow[] = await vault.run<SealedRow & Record<string, unknown>>(
      staleRows(column, last !== undefined),
      [sealedPrefix(vault.cipher.generation()), ...(last?.key ?? [])],
    )
    last = rows.at(-1)
    if (!last) return
    yield await resealRows(vault, column, rows)
  }
}

async function resealRows(
  { run, cipher }: Vault,
  { column, table, key, contextOf, purpose }: SealedColumn,
  rows: readonly SealedRow[],
) {
  const fresh = rows.flatMap((row) => {
    const context = contextOf(row.key)
    try {
      return [
        { ...row, fresh: cipher.seal(purpose, cipher.openBytes(purpose, row.sealed, context), context) },
      ]
    } catch {
      return []
    }
  })
  const done = await run(replaceValues({ column, table, key }), [
    fresh.map((row) => row.sealed),
    fresh.map((row) => row.fresh),
    ...key.map((_, index) => fresh.map((row) => row.key[index])),
  ])
  return { rows: rows.length, done: done.length, failed: rows.length - fresh.length }
}

const isStale = (column: string) => `substring(${column} from 1 for length($1::bytea)) <> $1::bytea`

const staleRows = ({ table, column, key, batch }: SealedColumn, continues: boolean) => `
select array[${key.map(([name]) => `${name}::text`).join(', ')}] as key, ${column} as sealed
  from ${table}
 where ${isStale(column)}
   ${continues ? `and (${key.map(([name]) => name).join(', ')}) > (${key.map(([, type], at) => `$${at + 2}::text::${type}`).join(', ')})` : ''}
 order by ${key.map(([name]) => name).join(', ')}
 limit ${batch}`

/** Compare and set: a value that was replaced since it was read stays as it is. */
const replaceValues = ({ table, column, key }: Pick<SealedColumn, 'table' | 'column' | 'key'>) => `
with fresh as (
  select *
    from unnest($1::bytea[], $2::bytea[], ${key.map(([, type], at) => `$${at + 3}::${type}[]`).join(', ')})
      as each (old_value, new_value, ${key.map(([name]) => name).join(', ')})
)
update ${table} stored
   set ${column} = fresh.new_value
  from fresh
 where ${key.map(([name]) => `stored.${name} = fresh.${name}`).join(' and ')}
   and stored.${column} = fresh.old_value
returning stored.${key.at(-1)?.[0]}`

/** The number of values that are under an earlier generation than this one. */
export async function staleValues({ run }: Pick<World, 'run'>, generation: number): Promise<number> {
  const counts = sealedColumns.map(
    ({ table, column }) => `select count(*) as stale from ${table} where ${isStale(column)}`,
  )
  const [row] = await run<{ stale: number }>(
    `select sum(stale)::int as stale from (${counts.join(' union all ')}) each`,
    [sealedPrefix(generation)],
  )
  return row?.stale ?? 0
}
