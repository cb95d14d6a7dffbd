import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { ApiError } from '../../api/errors.ts'
import type { RootSecrets } from '../../base/cipher.ts'
import type { Statements } from '../../database/statements.ts'
import type { RootSecretTable } from '../../database/tables/vault.ts'
import type { Tables } from '../../database/tables.ts'
import type { KeyProvider } from './key-provider.ts'

type RootSecretRow = Selectable<RootSecretTable>

/** The context of each generation is different, so that one cannot be put in the place of another. */
const contextOf = (generation: number) => (generation === 1 ? 'root_secret' : `root_secret/${generation}`)

/** The available master keys do not open the root secret of this database. */
export class WrongMasterKey extends Error {}

/** The root secrets that a process has loaded. */
export interface LoadedRootSecrets extends RootSecrets {
  /**
   * Reads changes: every process loads a new generation before any process seals with it
   * (`service-processes.ts`).
   */
  refresh(): Promise<void>
}

/**
 * Opens the root secrets of 32 bytes, from which the instance's cipher is derived. They are stored wrapped
 * under the master keys, so that these can be replaced while a generation stays the same. `first` makes the
 * first generation if there is none; of two first starts one stores it, and both use it. Throws
 * `WrongMasterKey`.
 */
export async function openRootSecrets(
  db: Kysely<Tables>,
  keys: KeyProvider,
  first: () => Promise<Buffer>,
): Promise<LoadedRootSecrets> {
  const known = new Map([[1, await rootSecret(db, keys, first)]])
  const secrets: LoadedRootSecrets = { current: 1, known, accepted: [1], refresh }
  await refresh()
  return secrets

  async function refresh(): Promise<void> {
    const rows = await readRootSecrets(db)
    for (const row of rows) if (!known.has(row.generation)) known.set(row.generation, await unwrap(keys, row))
    const used = rows.filter(isUsed)
    const current = used.at(-1)?.generation ?? 1
    const accepted = used
      .filter(({ generation, retired_at }) => generation === current || retired_at === null)
      .map(({ generation }) => generation)
    Object.assign(secrets, { current, accepted: accepted.toReversed() })
  }
}

const isUsed = ({ generation, used_at }: RootSecretRow) => generation === 1 || used_at !== null

/** The first generation, which `first` makes if there is none. */
export async function rootSecret(
  db: Kysely<Tables>,
  keys: KeyProvider,
  first: () => Promise<Buffer>,
): Promise<Buffer> {
  const [existing] = await readRootSecrets(db)
  if (existing) return unwrap(keys, existing)
  await insertRootSecret(db, keys, 1, await first())
  const [stored] = await readRootSecrets(db)
  if (!stored) throw new Error('the root secret vanished')
  return unwrap(keys, stored)
}

async function insertRootSecret(
  db: Kysely<Tables>,
  keys: KeyProvider,
  generation: number,
  secret: Buffer,
): Promise<void> {
  const { keyId, wrapped } = await keys.wrap(secret, contextOf(generation))
  await db
    .insertInto('root_secret')
    .values({ generation, key_id: keyId, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const unwrap = (keys: KeyProvider, { generation, key_id: keyId, wrapped }: RootSecretRow): Promise<Buffer> =>
  keys.unwrap({ keyId, wrapped }, contextOf(generation)).catch((error) => {
    throw error instanceof ApiError
      ? error
      : new WrongMasterKey('the root secret does not open', { cause: error })
  })

const readRootSecrets = (db: Kysely<Tables>): Promise<RootSecretRow[]> =>
  db.selectFrom('root_secret').selectAll().orderBy('generation').execute()

/** Wraps under the current master key every root secret that is not yet. Answers how many. */
export async function rewrapRootSecrets(
  db: Kysely<Tables>,
  keys: KeyProvider,
  currentKeyId: string,
): Promise<number> {
  let rewrapped = 0
  for (const row of await readRootSecrets(db)) {
    if (row.key_id === currentKeyId) continue
    const { keyId, wrapped } = await keys.wrap(await unwrap(keys, row), contextOf(row.generation))
    const { numUpdatedRows } = await db
      .updateTable('root_secret')
      .set({ key_id: keyId, wrapped })
      .where('generation', '=', row.generation)
      .where('wrapped', '=', row.wrapped)
      .executeTakeFirst()
    rewrapped += Number(numUpdatedRows)
  }
  return rewrapped
}

/**
 * Makes a new root secret, which no process uses yet; answers its generation. One that an interrupted replacement has
 * left is not taken: a backup that has leaked meanwhile may have it.
 */
export async function announceRootSecret(db: Kysely<Tables>, keys: KeyProvider): Promise<number> {
  const generation = ((await readRootSecrets(db)).at(-1)?.generation ?? 0) + 1
  await insertRootSecret(db, keys, generation, randomBytes(32))
  return generation
}

/**
 * Whether a later generation than this one is in use. Until the transaction ends, none is put to use. Throws
 * PostgreSQL's `lock_not_available` while another transaction changes the root secrets.
 */
export async function isReplaced(tx: Kysely<Tables>, generation: number): Promise<boolean> {
  const rows = await tx
    .selectFrom('root_secret')
    .select(['generation', 'used_at'])
    .where('generation', '>=', generation)
    .forShare()
    .noWait()
    .execute()
  return rows.some((row) => row.generation > generation && row.used_at !== null)
}

/** Makes every process seal and sign with this generation after its next refresh. */
export const useRootSecret = (run: Statements, generation: number) =>
  run(
    `
update root_secret
   set used_at = now()
 where generation = $1
   and used_at is null
returning generation`,
    [generation],
  )

/**
 * Makes every process refuse what is signed under earlier generations. Answers how many generations this call
 * has retired.
 */
export const retireRootSecrets = async (run: Statements, current: number): Promise<number> =>
  (
    await run(
      `
update root_secret
   set retired_at = now()
 where generation < $1
   and retired_at is null
returning generation`,
      [current],
    )
  ).length
