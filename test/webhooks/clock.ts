import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Clock } from '../../src/base/clock.ts'

/** How long a process may go by what it read last, in milliseconds. */
export const READ_EVERY = 10

/**
 * The system's time, and as many milliseconds more as the file says: so that days pass for several processes
 * at once, as if they had been waited for.
 */
export function clockAhead(file: string): Clock {
  let ahead = 0
  let readAt = Number.NEGATIVE_INFINITY
  return {
    now() {
      const now = Date.now()
      if (now - readAt >= READ_EVERY) {
        ahead = Number(readFileSync(file, 'utf8'))
        readAt = now
      }
      return now + ahead
    },
  }
}

/** At once, or not at all, so that no process reads half a number. */
export function setAhead(file: string, ms: number): void {
  writeFileSync(`${file}.new`, String(ms))
  renameSync(`${file}.new`, file)
}
