import { hash } from 'node:crypto'
import { type LineMatch, type MatchablePayment, matchLine } from './match-line.ts'
import type { EarlierLine } from './matchable-payments.ts'
import type { PlacedLine, ReportLine, UnmatchedReason } from './report-line.ts'

/** How many lines came to what. Beside the kinds of lines and the reasons: `read`, `known`, `ignored`. */
export type Counts = Record<string, number>

export const addCount = (counts: Counts, name: string, more = 1): void => {
  counts[name] = (counts[name] ?? 0) + more
}

export type MatchedLine = PlacedLine & { line: ReportLine } & Exclude<LineMatch, { reason: UnmatchedReason }>
export type UnmatchedLine = PlacedLine & { reason: UnmatchedReason }

/** What becomes of the lines of a batch. */
export interface MatchedBatch {
  matched: MatchedLine[]
  unmatched: UnmatchedLine[]
  /** Keys of lines that were unmatched until now. */
  resolved: string[]
  counts: Counts
}

/** Names a line by its parts: a UUID without hyphens. */
export const lineKey = (...parts: readonly (string | number)[]): string => hash('sha256', JSON.stringify(parts)).slice(0, 32)

/** Decides line by line, in their order. */
export function matchBatch(
  lines: readonly PlacedLine[],
  known: ReadonlyMap<string, EarlierLine>,
  payments: ReadonlyMap<string, MatchablePayment>,
): MatchedBatch {
  const judged: MatchedBatch = { matched: [], unmatched: [], resolved: [], counts: {} }
  const seen = new Set<string>()
  for (const placed of lines) {
    const { line } = placed
    const earlier = known.get(placed.key)
    const again = line && repeatedLine(placed, line, earlier, seen.has(placed.key))
    seen.add(placed.key)
    if (again === 'known') {
      addCount(judged.counts, 'known')
      continue
    }
    const verdict = again ?? (line ? matchLine(line, payments.get(line.payment)) : { reason: 'malformed' as const })
    if ('reason' in verdict) {
      judged.unmatched.push({ ...placed, ...verdict })
      addCount(judged.counts, earlier?.kind === 'unmatched' && !again ? 'known' : verdict.reason)
    } else if (line) {
      judged.matched.push({ ...placed, line, ...verdict })
      if (earlier?.kind === 'unmatched') judged.resolved.push(placed.key)
      addCount(judged.counts, line.kind)
    }
  }
  return judged
}

/** A line whose key was read before: nothing new, or something that should not be. Undefined: it is to be judged. */
function repeatedLine(
  { key, fileId, number }: PlacedLine,
  line: ReportLine,
  earlier: EarlierLine | undefined,
  inBatch: boolean,
): 'known' | { key: string; reason: UnmatchedReason } | undefined {
  const elsewhere = earlier !== undefined && earlier.fileId === fileId && earlier.number !== number
  // a line without an id is counted by its file, so that its key does not come twice
  if (line.id !== null && (inBatch || elsewhere)) return { key: lineKey(key, fileId, number), reason: 'duplicate' }
  if (earlier?.kind !== 'booked') return undefined
  const { gross, net, currency } = earlier
  if (gross === line.gross && net === line.net && currency === line.currency) return 'known'
  return { key: lineKey(key, line.gross, line.net, line.currency), reason: 'changed' }
}
