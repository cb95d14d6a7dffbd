import { type SelectQueryBuilder, sql } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import type { Tables } from '../tables.ts'

const latestFirst = (time: 'created_at' | 'updated_at', { limit, position }: PageRequest) => {
  const backwards = position?.direction === 'previous'
  const order = backwards ? 'asc' : 'desc'
  return <Table extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, Table, Row>,
  ): SelectQueryBuilder<Tables, Table, Row> =>
    query
      .$if(position !== undefined, (later) =>
        // the id is text in one table, and a UUID in the others
        later.where(
          sql<boolean>`(${sql.ref(time)}, id) ${sql.raw(backwards ? '>' : '<')} (${position?.key}::timestamptz, ${position?.id})`,
        ),
      )
      .orderBy(sql.ref(time), order)
      .orderBy(sql`id`, order)
      .limit(limit + 1)
}

/**
 * Selects a page of a list by creation, the newest first, after a position (`newestFirstPosition`). For the
 * previous page the order is reversed. It selects one row more than the page has, which shows whether there
 * are further rows.
 */
export const newestFirst = (page: PageRequest) => latestFirst('created_at', page)

export const newestFirstPosition = ({ created_at, id }: { created_at: string; id: string }) => ({
  key: created_at,
  id,
})

/** The same by the last change, with positions of `lastUpdatedFirstPosition`. */
export const lastUpdatedFirst = (page: PageRequest) => latestFirst('updated_at', page)

export const lastUpdatedFirstPosition = ({ updated_at, id }: { updated_at: string; id: string }) => ({
  key: updated_at,
  id,
})
