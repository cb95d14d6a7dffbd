import { type SelectQueryBuilder, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import type { Tables } from './tables.ts'

/**
 * Selects a page of a list by creation, the newest first, after a position (`newestFirstPosition`). For the
 * previous page the order is reversed. It selects one row more than the page has, which shows whether there
 * are further rows.
 */
export const newestFirst = ({ limit, position }: PageRequest) => {
  const backwards = position?.direction === 'previous'
  const order = backwards ? 'asc' : 'desc'
  return <Table extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, Table, Row>,
  ): SelectQueryBuilder<Tables, Table, Row> =>
    query
      .$if(position !== undefined, (later) =>
        // the id is text in one table, and a UUID in the others
        later.where(
          sql<boolean>`(created_at, id) ${sql.raw(backwards ? '>' : '<')} (${position?.key}::timestamptz, ${position?.id})`,
        ),
      )
      .orderBy(sql`created_at`, order)
      .orderBy(sql`id`, order)
      .limit(limit + 1)
}

export const newestFirstPosition = ({ created_at, id }: { created_at: string; id: string }) => ({
  key: created_at,
  id,
})
