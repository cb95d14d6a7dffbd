import type { Event } from '../../src/events/event.schema.ts'
import type { Arrival } from './arrival.ts'

export type FeedEvent = Pick<Event, 'id' | 'sequence'> & { target: { id: string } }

/** What a receiver got, in numbers. */
export interface Figures {
  arrivals: number
  /** Events that it has answered with 200. */
  accepted: number
  /** Requests with an event that it had answered with 200 before. */
  duplicates: number
  /** Requests that it answered with an error, or not at all. */
  inVain: number
}

/**
 * Compares a receiver's requests with the feed, which is the truth: the same events; each resource's without
 * a gap and in order, the next one only after the one before was answered with 200; the same bytes each time;
 * every signature right.
 */
export function compare(
  feed: readonly FeedEvent[],
  arrivals: readonly Arrival[],
): { figures: Figures; findings: string[] } {
  const findings: string[] = []
  const truth = new Map(feed.map((event) => [event.id, event]))
  const before = new Map(predecessors(feed))
  const hashes = new Map<string, string>()
  const accepted = new Set<string>()
  let duplicates = 0
  for (const { id, target, sequence, hash, signed, answered } of arrivals) {
    const event = truth.get(id)
    const what = `event ${id} (${target} ${sequence})`
    if (!event) findings.push(`${what} is not in the feed`)
    else if (event.target.id !== target || event.sequence !== sequence)
      findings.push(`${what} is ${event.target.id} ${event.sequence} in the feed`)
    if (!signed) findings.push(`${what} is not signed`)
    if ((hashes.get(id) ?? hash) !== hash) findings.push(`${what} came in different words`)
    hashes.set(id, hash)
    const previous = before.get(id)
    if (previous !== undefined && !accepted.has(previous))
      findings.push(`${what} came before the one before it was taken`)
    if (accepted.has(id)) duplicates += 1
    if (answered === 200) accepted.add(id)
  }
  for (const { id, sequence, target } of feed)
    if (!accepted.has(id)) findings.push(`event ${id} (${target.id} ${sequence}) never came`)
  const inVain = arrivals.filter(({ answered }) => answered !== 200).length
  return { figures: { arrivals: arrivals.length, accepted: accepted.size, duplicates, inVain }, findings }
}

/** Event id → the id of the event before it of the same resource. */
function* predecessors(feed: readonly FeedEvent[]): Generator<[string, string]> {
  const last = new Map<string, string>()
  for (const { id, target } of feed) {
    const previous = last.get(target.id)
    if (previous !== undefined) yield [id, previous]
    last.set(target.id, id)
  }
}

/** What is wrong with the feed itself: an event twice, or a resource's numbers out of order or with a gap. */
export function feedFindings(feed: readonly FeedEvent[]): string[] {
  const findings: string[] = []
  const ids = new Set<string>()
  const last = new Map<string, number>()
  for (const { id, sequence, target } of feed) {
    if (ids.has(id)) findings.push(`event ${id} is in the feed twice`)
    ids.add(id)
    const previous = last.get(target.id)
    if (previous !== undefined && sequence !== previous + 1)
      findings.push(`${target.id} ${sequence} follows ${previous} in the feed`)
    last.set(target.id, sequence)
  }
  return findings
}
