import { BLOCK, header, padding, readHeader } from '../backup/ustar.ts'

/** PostgreSQL reads its WAL by pages; an empty page after the last record ends it. */
const LOG_PAGE = 8192

/**
 * The entries of a tar archive as PGlite's `dumpDataDir` writes it: short names, files and folders only, a
 * folder before its files.
 */
export function* readTar(archive: Buffer): Generator<{ name: string; isFolder: boolean; content: Buffer }> {
  let at = 0
  while (archive[at]) {
    const start = at + BLOCK
    const { size, ...entry } = readHeader(archive.subarray(at, start))
    yield { ...entry, content: archive.subarray(start, start + size) }
    at = start + size + padding(size)
  }
}

/** The databases template1 and template0; a database in memory is never a template for another one. */
const TEMPLATES = /^\/?base\/[14]\//
const LOG = /^\/?pg_wal\/(?<segment>[0-9A-F]{24})$/

/**
 * Reduces the archive of a database after a checkpoint to the quarter that a database in memory needs:
 * without templates, and of the WAL only the written part of `segment`. Each start copies the archive several
 * times, which is a third of its duration.
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

/** A WAL segment up to its last page that is not empty, and one empty page. */
function written(log: Buffer): Buffer {
  const empty = Buffer.alloc(LOG_PAGE)
  let end = log.length
  while (end >= LOG_PAGE && log.subarray(end - LOG_PAGE, end).equals(empty)) end -= LOG_PAGE
  return log.subarray(0, end + LOG_PAGE)
}
