import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import files, { type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ArchivedFile } from './archived-file.store.ts'

/** A file or the folder cannot be used; the message names it. */
export class ArchiveProblem extends Error {}

/**
 * Runs `work` on the folder, or on a file of it: an error of the operating system, such as that of a full disk, is an
 * `ArchiveProblem`.
 */
export async function onFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new ArchiveProblem(`${path}: ${error.message}`, { cause: error })
    throw error
  }
}

/**
 * Creates the folder for its owner only, and waits until its name is on the disk; the folder that it is in must be
 * there. Where root creates it, such as on the command line, its owner is that of the folder that it is in: the service
 * may be another user.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await files.mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
  const parent = dirname(folder)
  const { uid, gid } = await files.stat(parent)
  if (process.geteuid?.() === 0) await files.chown(folder, uid, gid)
  await syncFolder(parent)
}

/** The user and the group of the operating system that files must belong to. */
export type Owner = Pick<Stats, 'uid' | 'gid'>

/**
 * Creates a file for its owner only. `owner`: the user that reads the earlier files; null: there are none. Throws
 * `ArchiveProblem` if this process may not give the file to the owner, who could not read it.
 */
export async function createFile(path: string, owner: Owner | null): Promise<FileHandle> {
  const handle = await files.open(path, 'wx', 0o600)
  try {
    const { uid } = await handle.stat()
    if (owner && owner.uid !== uid)
      await handle.chown(owner.uid, owner.gid).catch((cause) => {
        throw new ArchiveProblem(
          `${path} would belong to the user ${uid} of the operating system, and ${owner.uid}, who has the folder, could not read it: retire payments as ${owner.uid}`,
          { cause },
        )
      })
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Waits until the names of what is in a folder are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await files.open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

const NAME = /^[a-z0-9-]+\.parquet$/

/** The path of a file. The name comes from the database, and leads nowhere else. */
export function pathIn(folder: string, name: string): string {
  if (!NAME.test(name)) throw new ArchiveProblem(`${name} is no name of an archived file`)
  return join(folder, name)
}

/** Not what a symbolic link leads to, and without waiting for the writer of a pipe. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens a recorded file and runs `work` on it, if it has exactly the bytes that were recorded. Throws
 * `ArchiveProblem` if it is missing or was changed.
 */
export async function withRecordedFile<T>(
  folder: string | undefined,
  { name, bytes, sha256 }: Pick<ArchivedFile, 'name' | 'bytes' | 'sha256'>,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  if (folder === undefined)
    throw new ArchiveProblem(`ARCHIVE_DIR is not set, and retired payments are in ${name}`)
  const path = pathIn(folder, name)
  const handle = await onFolder(folder, () => files.open(path, READ))
  try {
    // the same open file is checked and read: another program may replace the name in between
    const found = await onFolder(path, () => digestOf(handle))
    if (found.bytes !== bytes || !found.sha256.equals(sha256))
      throw new ArchiveProblem(`${path} is not the file that was recorded: it was changed or is damaged`)
    return await work(handle)
  } finally {
    await handle.close()
  }
}

const CHUNK_BYTES = 1024 * 1024

/** The size and the SHA-256 of an open file. */
export async function digestOf(handle: FileHandle): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let bytes = 0; ; ) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest() }
    hash.update(chunk.subarray(0, bytesRead))
    bytes += bytesRead
  }
}
