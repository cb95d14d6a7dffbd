import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk of its own. */
export interface SmallDisk {
  folder: string
  /** Takes all but so many bytes of what is free. */
  fill(leave: number): Promise<void>
  /** Gives back what `fill` took. */
  free(): Promise<void>
  freeBytes(): Promise<number>
  remove(): Promise<void>
}

/** Nobody here may mount anything. */
export class CannotMount extends Error {}

/** Mounts a tmpfs of so many bytes, which only root may. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'railyard', folder], { stdio: 'pipe' })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new CannotMount(`a small disk cannot be mounted here: ${error instanceof Error ? error.message : error}`)
  }
  const ballast = join(folder, 'ballast')
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }
  const remove = async () => {
    execFileSync('umount', [folder], { stdio: 'pipe' })
    await rm(folder, { recursive: true, force: true })
  }
  // one that is interrupted leaves no mount behind
  process.once('exit', () => execFileSync('sh', ['-c', 'umount -l "$0" 2>/dev/null || true', folder]))
  return {
    folder,
    freeBytes,
    async fill(leave) {
      await writeFile(ballast, Buffer.alloc(Math.max(0, (await freeBytes()) - leave))).catch((error: NodeJS.ErrnoException) => {
        // somebody else took the rest meanwhile
        if (error.code !== 'ENOSPC') throw error
      })
    },
    free: () => rm(ballast, { force: true }),
    remove,
  }
}
