import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { partitionedTables } from './partitioned-tables.ts'

/** A partition, or a table that has none yet: it keeps all ids. */
export interface Partition {
  table: string
  /** The name of the partition; of a table without partitions, the name of the table. */
  name: string
  isPartition: boolean
  /** The lowest id that it keeps; null: it has no bound. */
  from: string | null
  /** The lowest id that it does not keep any more; null: it has no bound. */
  to: string | null
  /** As PostgreSQL estimates them. */
  rows: number
  bytes: number
}

interface PartitionRow {
  table: string
  name: string
  bound: string | null
  rows: number
  bytes: number
}

/** The partitions of all tables that may have some, the oldest first. */
export async function readPartitions(db: Kysely<Tables>): Promise<Partition[]> {
  const names: string[] = partitionedTables.map(({ table }) => table)
  const { rows } = await sql<PartitionRow>`
    select parent.relname as "table",
           part.relname as name,
           pg_get_expr(part.relpartbound, part.oid) as bound,
           greatest(part.reltuples, pg_stat_get_live_tuples(part.oid), 0)::bigint as rows,
           pg_total_relation_size(part.oid) as bytes
      from pg_class parent
      left join pg_inherits i
        on i.inhparent = parent.oid
      join pg_class part
        on part.oid = coalesce(i.inhrelid, parent.oid)
     where parent.oid = any(array(select to_regclass(name) from unnest(${names}::text[]) as name))
       and part.relkind = 'r'`.execute(db)
  return rows
    .map(({ bound, ...row }) => ({ ...row, isPartition: bound !== null, ...boundsOf(bound ?? '') }))
    .sort(
      (a, b) => names.indexOf(a.table) - names.indexOf(b.table) || (a.from ?? '').localeCompare(b.from ?? ''),
    )
}

/** `FOR VALUES FROM (MINVALUE) TO ('0193…')`, as PostgreSQL writes it. */
function boundsOf(bound: string): Pick<Partition, 'from' | 'to'> {
  const [from, to] = [/FROM \('([^']+)'\)/, /TO \('([^']+)'\)/].map((part) => part.exec(bound)?.[1] ?? null)
  return { from: from ?? null, to: to ?? null }
}
