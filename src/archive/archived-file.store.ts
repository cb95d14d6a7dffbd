import type { Kysely } from 'kysely'
import type { ArchivedFileTable } from '../database/tables/retention.ts'
import type { Tables } from '../database/tables.ts'

export type ArchivedFile = ArchivedFileTable

/** Records the files of a retirement that is under way, in place of those that an earlier attempt recorded. */
export const recordFiles = (db: Kysely<Tables>, files: readonly [ArchivedFile, ...ArchivedFile[]]) =>
  db.transaction().execute(async (tx) => {
    await tx.deleteFrom('archived_files').where('retirement', '=', files[0].retirement).execute()
    await tx
      .insertInto('archived_files')
      .values([...files])
      .execute()
  })

/** The files of all retirements that are complete, the oldest first. */
export const readFiles = (db: Kysely<Tables>): Promise<ArchivedFile[]> =>
  db
    .selectFrom('archived_files as f')
    .innerJoin('retirements as r', 'r.number', 'f.retirement')
    .where('r.retired_at', 'is not', null)
    .selectAll('f')
    .orderBy('f.retirement')
    .orderBy('f.kind')
    .execute()
