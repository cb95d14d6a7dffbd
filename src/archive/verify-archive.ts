import type { Statements } from '../database/statements.ts'
import { ArchiveProblem, withRecordedFile } from './archive-folder.ts'
import { readFiles } from './archived-file.store.ts'
import { countParquetRows } from './parquet-file.ts'

/** What is wrong with the files of retired payments: each must be there, as it was recorded. */
export async function verifyArchive(
  run: Statements,
  folder: string | undefined,
): Promise<{ files: number; problems: string[] }> {
  const recorded = await readFiles(run)
  const problems: string[] = []
  for (const file of recorded)
    try {
      await withRecordedFile(folder, file, async (handle) => {
        const rows = await countParquetRows(handle, file.bytes)
        if (rows !== file.rows)
          throw new ArchiveProblem(`${file.name} has ${rows} rows, and ${file.rows} were recorded`)
      })
    } catch (error) {
      if (!(error instanceof ArchiveProblem)) throw error
      problems.push(error.message)
    }
  return { files: recorded.length, problems }
}
