import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../base/data-dir.ts'
import { BLOCK, header, padding, readHeader } from './ustar.ts'

const CHUNK = 1024 * 1024

/** A folder as a tar archive, in pieces; a folder comes before its entries. */
export async function* packFolder(folder: string, excluded: ReadonlySet<string>): AsyncGenerator<Buffer> {
  const entries = (await readdir(folder, { recursive: true })).filter((name) => !excluded.has(name)).sort()
  for (const name of entries) {
    const path = join(folder, name)
    const status = await stat(path)
    if (status.isDirectory()) yield header(name, 0, '5')
    else {
      yield header(name, status.size, '0')
      yield* createReadStream(path, { highWaterMark: CHUNK })
      yield Buffer.alloc(padding(status.size))
    }
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** The archive cannot be read, or was not made by `packFolder`. */
export class BrokenArchive extends Error {}

/**
 * Unpacks an archive of `packFolder` into an empty folder, and waits until every file is on the disk. Throws
 * `BrokenArchive` if the archive is cut off or names a path outside of the folder.
 */
export async function unpackFolder(archive: AsyncIterable<Buffer>, folder: string): Promise<void> {
  const read = byteReader(archive)
  const folders = new Set([folder])
  for (;;) {
    const block = await read(BLOCK)
    if (block[0] === 0) break
    const { name, size, isFolder } = readHeader(block)
    if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(name) || name.split('/').includes('..') || !Number.isInteger(size))
      throw new BrokenArchive('it is not a backup of the embedded database')
    const path = join(folder, name)
    if (isFolder) {
      await mkdir(path, { mode: 0o700 })
      folders.add(path)
    } else {
      if (!folders.has(dirname(path))) throw new BrokenArchive(`the folder of ${name} is missing in it`)
      await writeFrom(read, path, size)
      await read(padding(size))
    }
  }
  for (const path of folders) await syncFolder(path)
}

async function writeFrom(
  read: (length: number) => Promise<Buffer>,
  path: string,
  size: number,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for (let left = size; left > 0; left -= CHUNK) await file.appendFile(await read(Math.min(left, CHUNK)))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Reads exactly as many bytes as requested. */
function byteReader(source: AsyncIterable<Buffer>): (length: number) => Promise<Buffer> {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  return async (length) => {
    const parts = [rest]
    for (let have = rest.length; have < length; ) {
      const { value, done } = await chunks.next()
      if (done) throw new BrokenArchive('it ends before its end: the backup was cut off')
      parts.push(value)
      have += value.length
    }
    const all = Buffer.concat(parts)
    rest = all.subarray(length)
    return all.subarray(0, length)
  }
}
