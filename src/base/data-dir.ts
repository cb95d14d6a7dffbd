import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InvalidSetting, type Settings } from '../settings.ts'

const problems: Record<string, string> = {
  ENOTDIR: 'it is not a folder',
  ENOENT: 'no folder can be made there',
  EACCES: 'this user may not write there',
  EPERM: 'it cannot be written',
  EROFS: 'its disk cannot be written',
  ENOSPC: 'its disk is full',
}

/** Node's own recursive mkdir never returns if a parent exists and cannot contain a folder (`/proc/x`). */
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

/** More than the embedded database's lock file, which is written first. */
const PROBE_BYTES = 64 * 1024

/**
 * Creates `DATA_DIR`, for its owner only, and tries to write to it. Call it before anything uses the folder:
 * keys, books and database are in it. Throws `InvalidSetting`.
 */
export async function prepareDataDir({ dataDir }: Pick<Settings, 'dataDir'>): Promise<void> {
  try {
    await makeFolder(resolve(dataDir))
    const probe = await mkdtemp(join(dataDir, '.probe-'))
    // permissions do not show that a disk is read-only or full, and a full disk may have room for a folder
    // but for no file
    await writeFile(join(probe, 'probe'), Buffer.alloc(PROBE_BYTES)).finally(() =>
      rm(probe, { recursive: true, force: true }),
    )
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new InvalidSetting(
      `DATA_DIR cannot be used, ${problems[code] ?? `writing there fails with ${code || error}`}: ${dataDir}`,
    )
  }
}

/**
 * Writes a file that only its owner may read, and waits until it is on the disk. An existing file stays as it
 * is. Throws `InvalidSetting` if it is another user's.
 */
export async function writeSecretOnce(file: string, content: string): Promise<void> {
  try {
    await writeSecret(file, content)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await chmod(file, 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPERM') throw error
      throw new InvalidSetting(`${file} belongs to another user: run this as that user`)
    })
  }
}

/**
 * Throws `EEXIST` if the file exists. The file appears with its whole content: other processes may be waiting
 * to read it, and this one may die.
 */
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

/** Waits until the names of new and renamed files of a folder are on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
