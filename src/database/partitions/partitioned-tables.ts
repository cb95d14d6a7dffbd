/**
 * The tables that grow with every payment, and the column whose ranges their partitions have. All of them are cut
 * at the same ids, and ids are in the order of time: the rows of a payment are in partitions of one period, and
 * the events and entries of a period are in those of that period.
 */
export const partitionedTables = [
  { table: 'transactions', key: 'id' },
  { table: 'operations', key: 'transaction_id' },
  { table: 'transaction_events', key: 'transaction_id' },
  { table: 'settlements', key: 'transaction_id' },
  { table: 'events', key: 'id' },
  { table: 'audit_entries', key: 'id' },
] as const

/** Those whose rows are retired with their payments. The audit log outlives them. */
export const retiredTables = partitionedTables.filter(({ table }) => table !== 'audit_entries')

export type PartitionedTable = (typeof partitionedTables)[number]

/** The lowest id (UUID version 7) of a moment, in milliseconds since 1970. */
export function lowestIdOf(moment: number): string {
  const time = moment.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** The moment of an id, in milliseconds since 1970. */
export const momentOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** The moment of an id, ISO 8601. */
export const timeOfId = (id: string): string => new Date(momentOf(id)).toISOString()

/** `momentOf` as SQL, as a `timestamptz`. `id`: SQL of an id. */
export const momentSql = (id: string): string =>
  `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`
