import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another process has the folder; the message names it. */
export class FolderInUse extends Error {}

const SQLITE_BUSY = 5

/**
 * Open locks. A lock that is garbage collected is released, and a caller may keep only the pool that it
 * protects.
 */
const heldLocks = new Set<DatabaseSync>()

/**
 * Locks the folder, which it creates with mode 0700 if it is missing, until `release` or until this process
 * dies, however it dies. The error of the next process names `holder`, for example `the embedded database`,
 * and `remedy`, what to do. Throws `FolderInUse`, also if this process has the lock itself.
 */
export function lockFolder(folder: string, holder: string, remedy: string): { release(): void } {
  makeFolder(folder)
  const note = join(folder, 'lock.json')
  // Node has no flock. An open exclusive transaction of SQLite is a kernel lock: SIGKILL releases it, and a
  // reused pid cannot fake it.
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)
      throw new FolderInUse(`${folder} is in use by ${readHolder(note)}: ${remedy}`)
    throw error
  }
  heldLocks.add(lock)
  writeFileSync(note, `${JSON.stringify({ pid: process.pid, since: new Date().toISOString(), holder })}\n`, {
    mode: 0o600,
  })
  return {
    release() {
      rmSync(note, { force: true })
      heldLocks.delete(lock)
      lock.close()
    },
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/**
 * The note is written after the lock is taken, so for a moment it may be missing, incomplete, or a dead
 * process's.
 */
function readHolder(note: string): string {
  try {
    const { pid, since, holder } = JSON.parse(readFileSync(note, 'utf8'))
    return `${holder} of process ${pid} since ${since}`
  } catch {
    return 'another process'
  }
}
