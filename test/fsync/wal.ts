import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A segment of the log is a file named after its timeline and its number; the number counts in two halves
 * (PostgreSQL 9.3 and newer).
 */
const SEGMENT = /^[0-9A-F]{24}$/
const SEGMENT_BYTES = 16 * 1024 * 1024
const PAGE_BYTES = 8 * 1024

const LONG_HEADER = 0x0002
const HEADER_BYTES = { short: 24, long: 40 }
const RECORD_HEADER_BYTES = 24
const TRANSACTIONS = 1
const WHICH_OPERATION = 0x70
const COMMIT = 0

/**
 * The position at which a segment begins, in bytes. Positions fit a double exactly: a log of 2^53 bytes is
 * eight petabytes.
 */
export function beginningOf(segment: string): number {
  return (
    Number.parseInt(segment.slice(8, 16), 16) * 2 ** 32 +
    Number.parseInt(segment.slice(16), 16) * SEGMENT_BYTES
  )
}

/** A part of the log without page headers; `at` is its position. */
interface Piece {
  at: number
  bytes: Buffer
  /** The number of first bytes that belong to a record from an earlier page. */
  continued: number
}

function* pagesOf(folder: string): Generator<Piece> {
  for (const segment of readdirSync(folder)
    .filter((name) => SEGMENT.test(name))
    .sort()) {
    const content = readFileSync(join(folder, segment))
    for (let offset = 0; offset + PAGE_BYTES <= content.length; offset += PAGE_BYTES) {
      const page = content.subarray(offset, offset + PAGE_BYTES)
      const at = beginningOf(segment) + offset
      // never written, or the rest of a reused segment
      if (Number(page.readBigUInt64LE(8)) !== at) break
      const header = page.readUInt16LE(2) & LONG_HEADER ? HEADER_BYTES.long : HEADER_BYTES.short
      yield { at: at + header, bytes: page.subarray(header), continued: page.readUInt32LE(16) }
    }
  }
}

/**
 * Where the commit of each transaction ends in the log: the transaction is durable once everything before
 * that is on the disk. Reads what the records' own headers say (PostgreSQL's access/xlogrecord.h and
 * xlog_internal.h), since `pg_waldump` reads the log of its own version only, and the embedded database has
 * none.
 */
export function commitsIn(folder: string): Map<number, number> {
  const commits = new Map<number, number>()
  let parts: Buffer[] = []
  let missing = 0
  let last = -1
  const end = (at: number) => {
    const record = Buffer.concat(parts)
    parts = []
    if (record.readUInt8(17) === TRANSACTIONS && (record.readUInt8(16) & WHICH_OPERATION) === COMMIT)
      commits.set(record.readUInt32LE(4), at)
  }
  for (const { at, bytes, continued } of pagesOf(folder)) {
    // after a gap the rest of a record cannot be read
    if (last !== at - (at % PAGE_BYTES)) [parts, missing] = [[], 0]
    last = at - (at % PAGE_BYTES) + PAGE_BYTES
    let position = aligned(missing > 0 ? 0 : continued)
    if (missing > 0) {
      const part = bytes.subarray(0, missing)
      parts.push(part)
      missing -= part.length
      if (missing === 0) end(at + part.length)
      position = aligned(part.length)
    }
    while (position < bytes.length) {
      const length = bytes.readUInt32LE(position)
      // the end, or the rest of a segment that ended early
      if (length < RECORD_HEADER_BYTES) break
      const part = bytes.subarray(position, position + length)
      parts.push(part)
      missing = length - part.length
      if (missing === 0) end(at + position + part.length)
      position = aligned(position + part.length)
    }
  }
  return commits
}

/** Records begin at multiples of eight, and pages' headers are such. */
const aligned = (position: number) => Math.ceil(position / 8) * 8
