import { randomBytes } from 'node:crypto'
import { chown, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { serviceUnavailable } from '../../api/errors.ts'
import { syncFolder, writeSecret, writeSecretOnce } from '../../base/data-dir.ts'
import { isKey256 } from '../../settings/read-value.ts'
import { InvalidSetting, type Settings } from '../../settings.ts'
import { keyIdOf, type MasterKeyReader } from './local-keys.ts'

/** The file of an instance's master keys, one in each line, the newest first. */
export const keyFileOf = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'encryption_key')

export const RESTORE_KEY_HINT =
  'put the original back (ENCRYPTION_KEY, or the file encryption_key in DATA_DIR; KMS_URL where a key service has taken over), without it nothing can be decrypted'

/** Writes the file with one new key, if there is no file. */
export const makeKeyFile = (file: string): Promise<void> => writeSecretOnce(file, newKey())

const newKey = () => randomBytes(32).toString('base64')

/** The keys of the file, the newest first. Throws `InvalidSetting`. */
export async function readKeyFile(file: string): Promise<readonly Buffer[]> {
  return (await readLines(file)).map((line) => Buffer.from(line, 'base64'))
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new InvalidSetting(`${file} cannot be read (${error.code}): ${RESTORE_KEY_HINT}`)
  })
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  if (lines.length > 0 && lines.every(isKey256)) return lines
  throw new InvalidSetting(`${file} does not hold 32 bytes in base64: ${RESTORE_KEY_HINT}`)
}

/**
 * Reads the file again whenever it has changed, so that a running process follows a rotation. A file that
 * cannot be read is a 503, without falling back to the keys in memory: what is sealed under a key that only a
 * process has is lost with the process.
 */
export function keyFileReader(file: string): MasterKeyReader {
  let version = ''
  let keys: readonly Buffer[] = []
  return async () => {
    try {
      // a renamed file has another inode, even if the disk's clock is too coarse to show the change
      const { ino, size, mtimeNs } = await stat(file, { bigint: true })
      const current = `${ino} ${size} ${mtimeNs}`
      if (current !== version) {
        keys = await readKeyFile(file)
        version = current
      }
      return keys
    } catch (error) {
      throw serviceUnavailable(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Adds a new key as the last one: processes can open with it, and none wraps with it yet. Answers its id. */
export async function addKey(file: string): Promise<string> {
  const fresh = newKey()
  await replaceLines(file, [...(await readLines(file)), fresh])
  return idOfLine(fresh)
}

const idOfLine = (line: string) => keyIdOf(Buffer.from(line, 'base64'))

/** Makes a key of the file the first one: it wraps from now on. */
export async function makeKeyFirst(file: string, id: string): Promise<void> {
  const lines = await readLines(file)
  const isWanted = (line: string) => idOfLine(line) === id
  await replaceLines(file, [...lines.filter(isWanted), ...lines.filter((line) => !isWanted(line))])
}

/** Removes a key that never was the first one. */
export async function removeUnusedKey(file: string, id: string): Promise<void> {
  const [first = '', ...others] = await readLines(file)
  await replaceLines(file, [first, ...others.filter((line) => idOfLine(line) !== id)])
}

/**
 * Removes all keys but these; the first one, which wraps, always stays. Answers the ids of the removed keys.
 */
export async function removeKeysExcept(file: string, used: ReadonlySet<string>): Promise<string[]> {
  const keys = (await readLines(file)).map((line) => ({ line, id: idOfLine(line) }))
  const remaining = keys.filter(({ id }, index) => index === 0 || used.has(id))
  if (remaining.length < keys.length)
    await replaceLines(
      file,
      remaining.map(({ line }) => line),
    )
  return keys.filter((key) => !remaining.includes(key)).map(({ id }) => id)
}

/** Replaces the file at once: also after a power cut it has either the old or the new lines. Its owner stays. */
async function replaceLines(file: string, lines: string[]): Promise<void> {
  const partial = `${file}.new`
  await rm(partial, { force: true })
  await writeSecret(partial, lines.join('\n'))
  await giveToOwnerOf(file, partial)
  await rename(partial, file)
  await syncFolder(dirname(file))
}

/** The service must still be able to read the file when another user, such as root, replaces it. */
async function giveToOwnerOf(file: string, partial: string): Promise<void> {
  const [owner, own] = await Promise.all([stat(file), stat(partial)])
  if (own.uid === owner.uid) return
  try {
    await chown(partial, owner.uid, owner.gid)
  } catch {
    await rm(partial)
    throw new InvalidSetting(
      `${file} belongs to the user ${owner.uid}, who could not read it any more, and was not changed: run this as that user`,
    )
  }
}
