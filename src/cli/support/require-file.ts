import { stat } from 'node:fs/promises'
import { UserError } from './user-error.ts'

/** Throws `UserError` if the path cannot be read, or is not a file. */
export async function requireFile(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${path} cannot be read: ${error.message}`)
  })
  if (!stats.isFile()) throw new UserError(`${path} is not a file`)
}
