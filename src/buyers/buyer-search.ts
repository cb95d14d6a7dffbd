import { type SqlBool, sql } from 'kysely'

/** The e-mail address of the buyer in this JSON column, as an index has it: mailboxes are the same in whatever case they are written. */
const emailOf = (column: string) => sql`lower(${sql.ref(column)}#>>'{billing_details,email_address}')`

export const hasEmailAddress = (column: string, address: string) => sql<SqlBool>`${emailOf(column)} = lower(${address})`

/**
 * Each of the texts must be exactly one of the data of the buyer in this JSON column, whichever it is: `buyer_search` (SEMANTICS §3.8). Only of the
 * e-mail address the case does not matter.
 */
export function hasBuyerData(column: string, texts: readonly string[]) {
  const data = sql`jsonb_path_query_array(${sql.ref(column)}, '$.** ? (@.type() == "string")')`
  const each = texts.map((text) => sql`(${data} @> to_jsonb(${text}::text) or ${hasEmailAddress(column, text)})`)
  return each.length > 0 ? sql<SqlBool>`(${sql.join(each, sql` and `)})` : sql<SqlBool>`true`
}
