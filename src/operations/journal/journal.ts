import type { Attributes } from '../../base/tracing.ts'
import { refusedBy } from '../../database/postgres/constraint.ts'
import { retryTransient } from '../../database/postgres/retry-transient.ts'
import type { World } from '../../world.ts'
import type { OperationRecord, OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { packJson, unpackJson } from './packed-json.ts'

/** The claim on an idempotency key (semantics §0.8), made in the statement that intends the operation. */
export interface Claim {
  scope: string
  key: string
  /** Of `requestFingerprint`. */
  fingerprint: Buffer
  /** How the answer is shown when it is replayed. */
  representation: string
}

/** An event for the merchant's systems (semantics §15.4). */
export interface OutboxEvent {
  id: string
  name: string
  target: 'transaction' | 'operation'
}

/**
 * Events, numbered among those of the same target in this commit; the statement adds the number of the
 * target's earlier events.
 */
export const numberEvents = (events: readonly OutboxEvent[]) =>
  events.map((event, index) => ({
    ...event,
    ordinal: events.slice(0, index + 1).filter(({ target }) => target === event.target).length,
  }))

/** How many of these events are about the transaction, and how many about the operation. */
export const eventCounts = (events: readonly OutboxEvent[]) => ({
  transactionEvents: events.filter(({ target }) => target === 'transaction').length,
  operationEvents: events.filter(({ target }) => target === 'operation').length,
})

/** The idempotency key was claimed by another request: nothing was written. */
export class IdempotencyKeyTaken extends Error {}

/** Whether a statement failed by this constraint. */
export const isViolation = (error: unknown, constraint: string): boolean => refusedBy(error) === constraint

/** Sends a statement of the journal, again where that may help. */
export async function retryJournalWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await retryTransient(work)
  } catch (error) {
    throw isViolation(error, 'idempotency_keys_pkey') ? new IdempotencyKeyTaken() : error
  }
}

/** A commit of the journal, as a trace shows it. */
export const traceCommit = <T>(
  { tracing }: World,
  name: 'intend' | 'record outcome',
  operation: Partial<OperationRow> | undefined,
  work: () => Promise<T>,
): Promise<T> =>
  tracing.step(name, { attributes: () => (operation ? operationTraceAttributes(operation) : {}) }, work)

/** What steps of a trace say of an operation. */
export const operationTraceAttributes = ({
  transaction_id,
  id,
  kind,
}: Partial<OperationRow>): Attributes => ({
  ...(transaction_id && {
    [kind === 'payout' ? 'railyard.payout.id' : 'railyard.transaction.id']: transaction_id,
  }),
  ...(id && { 'railyard.operation.id': id }),
  ...(kind && { 'railyard.operation.kind': kind }),
})

/** The parameters of a statement that claims an idempotency key, where the request has one. */
export const claimParameters = (claim: Claim | undefined) => ({
  idempotencyScope: claim?.scope ?? null,
  idempotencyKey: claim?.key ?? null,
  fingerprint: claim?.fingerprint ?? null,
  representation: claim?.representation ?? null,
})

type PackingWorld = Pick<World, 'packedJson'>

/** A list as it is written: packed, or as JSON while a running process cannot read packed ones. */
export const storedList = (
  { packedJson }: PackingWorld,
  list: readonly unknown[],
): { plain: readonly unknown[]; packed: Buffer | null } =>
  list.length > 0 && packedJson.isReadByAll
    ? { plain: [], packed: packJson(list) }
    : { plain: list, packed: null }

/** Bytes as JSON has them: PostgreSQL reads this as `bytea`. */
export const hexOf = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** The parameters of a statement that writes a row of the timeline; without lines it writes none. */
export function timelineParameters(world: PackingWorld, entries: readonly TimelineEntry[]) {
  if (entries.length === 0) return { timelineEntries: null, timelinePacked: null }
  const { plain, packed } = storedList(world, entries)
  return { timelineEntries: JSON.stringify(plain), timelinePacked: packed }
}

/**
 * Where the lines of a commit about an operation are written: among its records, or in a row of the timeline while a
 * running process cannot read packed lists.
 */
export const placeEntries = ({ packedJson }: PackingWorld, entries: TimelineEntry[]) =>
  packedJson.isReadByAll ? { records: entries, rows: [] } : { records: [], rows: entries }

/** A new operation whose commit writes these lines, and the parameters of the lines that are not among its records. */
export function withTimeline(world: PackingWorld, operation: OperationRow, entries: TimelineEntry[]) {
  const { records, rows } = placeEntries(world, entries)
  const { packed } = storedList(world, records)
  return {
    operation: { ...operation, packed_exchanges: packed && hexOf(packed) },
    timeline: timelineParameters(world, rows),
  }
}

/** The parameters of a statement that adds records to an operation. */
export function recordParameters(world: PackingWorld, records: readonly OperationRecord[]) {
  const { plain, packed } = storedList(world, records)
  return { exchanges: JSON.stringify(plain), packedExchanges: packed }
}

/** A row of the timeline as it is stored. */
export interface StoredTimeline {
  entries: readonly TimelineEntry[]
  packed: Buffer | string | null
}

export const entriesOf = ({ entries, packed }: StoredTimeline): TimelineEntry[] => [
  ...entries,
  ...unpackJson<TimelineEntry>(packed),
]
