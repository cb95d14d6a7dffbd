import { beginningOf } from './wal.ts'

/** The system calls of the processes, in strace's order: positions are lines of its log. */
export interface Syscalls {
  /** From this line on everything before this log position is on the disk; rising. */
  durable: { line: number; upTo: number }[]
  /** Writes to anything but files: the line at which each began, and its text in strace's form. */
  sent: { line: number; text: string }[]
  /** The number of writes and fsyncs of the log. */
  writes: number
  syncs: number
}

/** A system call with its first and last line. `text` is everything that strace shows of it. */
interface Call {
  name: string
  text: string
  began: number
  ended: number
  result: number
}

/**
 * `PID name(arguments) = result`, or in two halves with another thread's calls between. One that had not ended when
 * strace left has the first half alone.
 */
const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/
const BEGUN = /^(\d+) +(\w+)\((.*?) *<(?:unfinished|detached) \.\.\.>$/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/

/**
 * The calls in the order of their ends. An interrupted call began at the line of its first half. Those without an end
 * come last, and have the result -1.
 */
function* callsOf(log: string): Generator<Call> {
  const begun = new Map<string, { name: string; began: number; text: string }>()
  for (const [line, text] of log.split('\n').entries()) {
    const whole = WHOLE.exec(text)
    if (whole) {
      const [, , name = '', args = '', result] = whole
      yield { name, text: args, began: line, ended: line, result: Number(result) }
      continue
    }
    const half = BEGUN.exec(text)
    if (half) begun.set(half[1] ?? '', { name: half[2] ?? '', began: line, text: half[3] ?? '' })
    const rest = RESUMED.exec(text)
    const first = rest && begun.get(rest[1] ?? '')
    if (!rest || !first) continue
    begun.delete(rest[1] ?? '')
    yield { ...first, text: `${first.text}${rest[3]}`, ended: line, result: Number(rest[4]) }
  }
  for (const call of begun.values()) yield { ...call, ended: Number.POSITIVE_INFINITY, result: -1 }
}

const SEGMENT = /^\d+<[^>]*\/pg_wal\/([0-9A-F]{24})(?: \(deleted\))?>/
/** The number of bytes and their position in the file. */
const EXTENT = /, (\d+), (\d+)$/
const NO_FILE = /^\d+<(?:socket|TCP|pipe|UNIX)/

/**
 * Reads strace's output (`-f -y`, one file). A write counts from its end; an fsync covers the bytes written
 * before it began, and counts from its end. Bytes written before the first line count as durable.
 */
export function readSyscalls(log: string): Syscalls {
  const durable: Syscalls['durable'] = []
  const sent: Syscalls['sent'] = []
  let unsynced: { segment: string; from: number; ended: number }[] = []
  let written = 0
  let upTo = 0
  let [writes, syncs] = [0, 0]
  for (const { name, text, began, ended, result } of callsOf(log)) {
    const [, segment] = SEGMENT.exec(text) ?? []
    if (!segment) {
      if (NO_FILE.test(text)) sent.push({ line: began, text })
    } else if (name === 'pwrite64' && result >= 0) {
      const from = beginningOf(segment) + Number(EXTENT.exec(text)?.[2])
      unsynced.push({ segment, from, ended })
      written = Math.max(written, from + result)
      writes += 1
    } else if ((name === 'fdatasync' || name === 'fsync') && result === 0) {
      unsynced = unsynced.filter((write) => write.segment !== segment || write.ended >= began)
      upTo = Math.max(upTo, unsynced.length > 0 ? Math.min(...unsynced.map(({ from }) => from)) : written)
      durable.push({ line: ended, upTo })
      syncs += 1
    }
  }
  return { durable, sent, writes, syncs }
}

/** Whether everything before this position of the log was on the disk before this line. */
export const wasDurable = ({ durable }: Syscalls, position: number, line: number): boolean =>
  durable.some((step) => step.line < line && step.upTo >= position)
