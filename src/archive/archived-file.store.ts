import type { Kysely } from 'kysely'
import type { Statements } from '../database/statements.ts'
import type { ArchivedFileTable } from '../database/tables/retention.ts'
import type { Tables } from '../database/tables.ts'

export type ArchivedFile = ArchivedFileTable

/** Records the files of a retirement that is under way, in place of those that an earlier attempt recorded. */
export const recordFiles = (db: Kysely<Tables>, retirement: number, files: readonly ArchivedFile[]) =>
  db.transaction().execute(async (tx) => {
    await tx.deleteFrom('archived_files').where('retirement', '=', retirement).execute()
    await tx
      .insertInto('archived_files')
      .values([...files])
      .execute()
  })

const selectFiles = `
select f.*
  from archived_files f
  join retirements r
    on r.number = f.retirement
   and r.retired_at is not null
 order by f.retirement, f.kind`

/** The files of all retirements that are complete, the oldest first. */
export const readFiles = (run: Statements): Promise<ArchivedFile[]> => run<ArchivedFile>(selectFiles, [])
