import { BLOCK, header, padding, readHeader } from '../backup/ustar.ts'

/** PostgreSQL reads its log by pages, and one behind the last record tells it that there is no more. */
const LOG_PAGE = 8192

/** The entries of a tar archive as PGlite's `dumpDataDir` writes it: short names, files and folders only, a folder before its files. */
export function* readTar(archive: Buffer): Generator<{ name: string; isFolder: boolean; content: Buffer }> {
  let at = 0
  while (archive[at]) {
    const start = at + BLOCK
    const { size, ...entry } = readHeader(archive.subarray(at, start))
    yield { ...entry, content: archive.subarray(start, start + size) }
    at = start + size + padding(size)
  }
}

/** The databases template1 and template0, from which nobody makes another one in memory. */
const TEMPLATES = /^\/?base\/[14]\//
const LOG = /^\/?pg_wal\/(?<segment>[0-9A-F]{24})$/

/**
 * An archive of a checkpointed database with what a database in memory opens from, a quarter of it: without templates, and of the log no more than was
 * written of `segment`. It is copied at each start, and several times, which is a third of what a start takes.
 */
export function shrinkArchive(archive: Buffer, segment: string): Buffer {
  const parts: Buffer[] = []
  for (const { name, isFolder, content } of readTar(archive)) {
    if (TEMPLATES.test(name)) continue
    const log = LOG.exec(name)?.groups
    if (log && log['segment'] !== segment) continue
    const kept = log ? written(content) : content
    parts.push(header(name, kept.length, isFolder ? '5' : '0'), kept, Buffer.alloc(padding(kept.length)))
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

/** A log up to its last page that has something in it, and an empty one. */
function written(log: Buffer): Buffer {
  const empty = Buffer.alloc(LOG_PAGE)
  let end = log.length
  while (end >= LOG_PAGE && log.subarray(end - LOG_PAGE, end).equals(empty)) end -= LOG_PAGE
  return log.subarray(0, end + LOG_PAGE)
}
