import type { Settings } from '../settings.ts'
import { importBins, UnreadableBins } from '../vault/cards/bin-import.ts'
import { commandStore, withNewOrExistingDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { requireFile } from './support/require-file.ts'
import { UserError } from './support/user-error.ts'

/** `railyard bins import`: reads BINs from a CSV file. A file with an error changes nothing. */
export async function importBinFile(settings: Settings, file: string): Promise<void> {
  await requireFile(file)
  await withNewOrExistingDatabase(settings, async (database) => {
    const count = await runAsCommandLine(() => importBins(commandStore(database), file)).catch((error) => {
      throw error instanceof UnreadableBins
        ? new UserError(`${file}, ${error.message}; nothing was imported`)
        : error
    })
    console.log(`${count} BINs imported`)
  })
}
