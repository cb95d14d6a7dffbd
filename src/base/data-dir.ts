import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InvalidSetting, type Settings } from '../settings.ts'

const problems: Record<string, string> = {
  ENOTDIR: 'it is not a folder',
  ENOENT: 'no folder can be made there',
  EACCES: 'this user may not write there',
  EPERM: 'nobody may write there',
  EROFS: 'its disk cannot be written',
  ENOSPC: 'its disk is full',
}

/** Node's own recursive mkdir never comes back where a parent exists and takes no folder (`/proc/x`). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

/** More than the lock of the embedded database takes, which is the first that is written. */
const PROBE_BYTES = 64 * 1024

/** Makes `DATA_DIR` where it is missing, for its owner only, and tries to write there. Throws `InvalidSetting`. Comes before anything else: keys, books and database lie in it. */
export async function prepareDataDir({ dataDir }: Pick<Settings, 'dataDir'>): Promise<void> {
  try {
    await makeFolder(resolve(dataDir))
    const probe = await mkdtemp(join(dataDir, '.probe-'))
    // permissions do not tell of a disk that is read-only or full, and a folder may fit where no file does
    await writeFile(join(probe, 'probe'), Buffer.alloc(PROBE_BYTES)).finally(() => rm(probe, { recursive: true, force: true }))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new InvalidSetting(`DATA_DIR cannot be used, ${problems[code] ?? `writing there fails with ${code || error}`}: ${dataDir}`)
  }
}

/** Writes a file that only its owner may read, and reaches the disk; one that is there stays as it is. */
export async function writeSecretOnce(file: string, content: string): Promise<void> {
  try {
    await writeSecret(file, content)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await chmod(file, 0o600)
  }
}

/** Throws `EEXIST` where the file is there. It appears whole: other processes may be waiting to read it, and this one may die. */
export async function writeSecret(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${content.trimEnd()}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** What was made or renamed in a folder reaches the disk with the folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
