import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small separate disk. */
export interface SmallDisk {
  folder: string
  /** Uses all free space but this many bytes. */
  fill(leave: number): Promise<void>
  /** Frees the space that `fill` used. */
  free(): Promise<void>
  freeBytes(): Promise<number>
  remove(): Promise<void>
}

/** This user may not mount a file system. */
export class CannotMount extends Error {}

/** Mounts a tmpfs of this size, which requires root. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'railyard', folder], { stdio: 'pipe' })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new CannotMount(
      `a small disk cannot be mounted here: ${error instanceof Error ? error.message : error}`,
    )
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
  // an interrupted run leaves no mount behind
  process.once('exit', () => execFileSync('sh', ['-c', 'umount -l "$0" 2>/dev/null || true', folder]))
  return {
    folder,
    freeBytes,
    async fill(leave) {
      await writeFile(ballast, Buffer.alloc(Math.max(0, (await freeBytes()) - leave))).catch(
        (error: NodeJS.ErrnoException) => {
          // another process used the rest meanwhile
          if (error.code !== 'ENOSPC') throw error
        },
      )
    },
    free: () => rm(ballast, { force: true }),
    remove,
  }
}
