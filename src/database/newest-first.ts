import { type SelectQueryBuilder, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import type { Tables } from './tables.ts'

/**
 * A page of a list by creation, the newest first, from its position on; turned round where the page before is asked for. One row more than the page has tells whether there are others.
 * Where a row stands: `newestFirstPosition`.
 */
export const newestFirst = ({ limit, position }: PageRequest) => {
  const backwards = position?.direction === 'previous'
  const order = backwards ? 'asc' : 'desc'
  return <Table extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, Table, Row>): SelectQueryBuilder<Tables, Table, Row> =>
    query
      .$if(position !== undefined, (later) =>
        // the id is text in one table, and a UUID in the others
        later.where(sql<boolean>`(created_at, id) ${sql.raw(backwards ? '>' : '<')} (${position?.key}::timestamptz, ${position?.id})`),
      )
      .orderBy(sql`created_at`, order)
      .orderBy(sql`id`, order)
      .limit(limit + 1)
}

export const newestFirstPosition = ({ created_at, id }: { created_at: string; id: string }) => ({ key: created_at, id })
