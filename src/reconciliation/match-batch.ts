import { lineKey, storedKey } from './line-key.ts'
import { type LineMatch, type MatchablePayment, matchLine } from './match-line.ts'
import type { EarlierLine } from './matchable-payments.ts'
import type { PlacedLine, ReportLine, UnmatchedReason } from './report-line.ts'

/**
 * The numbers of lines: by kind for booked lines, by reason for unmatched ones, and `read`, `known` and
 * `ignored`.
 */
export type Counts = Record<string, number>

export const addCount = (counts: Counts, name: string, more = 1): void => {
  counts[name] = (counts[name] ?? 0) + more
}

export type MatchedLine = PlacedLine & { line: ReportLine } & Exclude<LineMatch, { reason: UnmatchedReason }>
export type UnmatchedLine = PlacedLine & { reason: UnmatchedReason }

/** The result of matching a batch of lines. */
export interface MatchedBatch {
  matched: MatchedLine[]
  unmatched: UnmatchedLine[]
  /** Keys of matched lines that were stored as unmatched. */
  resolved: string[]
  counts: Counts
}

/**
 * Matches the lines one after the other, in their order: an earlier line reduces what a later one can settle.
 */
export function matchBatch(
  lines: readonly PlacedLine[],
  earlierLines: ReadonlyMap<string, EarlierLine>,
  payments: ReadonlyMap<string, MatchablePayment>,
): MatchedBatch {
  const batch: MatchedBatch = { matched: [], unmatched: [], resolved: [], counts: {} }
  const keys = new Set<string>()
  for (const read of lines) {
    const { line } = read
    const placed = { ...read, key: storedKey(read, earlierLines) }
    const earlier = earlierLines.get(placed.key)
    const repeated = line && repeatedLine(placed, line, earlier, keys.has(placed.key))
    keys.add(placed.key)
    if (repeated === 'known') {
      addCount(batch.counts, 'known')
      continue
    }
    const match =
      repeated ?? (line ? matchLine(line, payments.get(line.payment)) : { reason: 'malformed' as const })
    if ('reason' in match) {
      batch.unmatched.push({ ...placed, ...match })
      addCount(batch.counts, earlier?.kind === 'unmatched' && !repeated ? 'known' : match.reason)
    } else if (line) {
      batch.matched.push({ ...placed, line, ...match })
      if (earlier?.kind === 'unmatched') batch.resolved.push(placed.key)
      addCount(batch.counts, line.kind)
    }
  }
  return batch
}

/**
 * For a line whose key was read before: `known` if it says the same, or the reason why it cannot be booked.
 * Undefined: the line is to be matched.
 */
function repeatedLine(
  { key, fileId, number }: PlacedLine,
  line: ReportLine,
  earlier: EarlierLine | undefined,
  inBatch: boolean,
): 'known' | { key: string; reason: UnmatchedReason } | undefined {
  const isElsewhereInFile = earlier !== undefined && earlier.fileId === fileId && earlier.number !== number
  // the key of a line without an id counts equal lines of its file, so it does not come twice
  if (line.id !== null && (inBatch || isElsewhereInFile))
    return { key: lineKey(key, fileId, number), reason: 'duplicate' }
  if (earlier?.kind !== 'booked') return undefined
  const { gross, net, currency } = earlier
  if (gross === line.gross && net === line.net && currency === line.currency) return 'known'
  return { key: lineKey(key, line.gross, line.net, line.currency), reason: 'changed' }
}
