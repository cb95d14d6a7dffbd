import { stat } from 'node:fs/promises'
import type { Settings } from '../settings.ts'
import { importBins, UnreadableBins } from '../vault/cards/bin-import.ts'
import { runAsCommandLine } from './command-line-actor.ts'
import { commandStore, withDatabase } from './keys/keys.ts'
import { UserError } from './user-error.ts'

/** `railyard bins import`. A file that cannot be read changes nothing. */
export async function importBinFile(settings: Settings, file: string): Promise<void> {
  const kind = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read: ${error.message}`)
  })
  if (!kind.isFile()) throw new UserError(`${file} is no file`)
  await withDatabase(settings, async (database) => {
    const lines = await runAsCommandLine(() => importBins(commandStore(database), file)).catch((error) => {
      throw error instanceof UnreadableBins ? new UserError(`${file}, ${error.message}; nothing was imported`) : error
    })
    console.log(`${lines} BINs imported`)
  })
}
