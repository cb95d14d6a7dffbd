import { type SqlBool, sql } from 'kysely'

/**
 * The e-mail address of the buyer in this JSON column, in the form of the index: mailboxes are the same in
 * upper and lower case.
 */
const emailOf = (column: string) => sql`lower(${sql.ref(column)}#>>'{billing_details,email_address}')`

export const hasEmailAddress = (column: string, address: string) =>
  sql<SqlBool>`${emailOf(column)} = lower(${address})`

/**
 * Whether each of the texts equals one of the strings of the buyer in this JSON column: `buyer_search`
 * (semantics §3.8). Only for the e-mail address upper and lower case are the same.
 */
export function hasBuyerData(column: string, texts: readonly string[]) {
  const strings = sql`jsonb_path_query_array(${sql.ref(column)}, '$.** ? (@.type() == "string")')`
  const matches = texts.map(
    (text) => sql`(${strings} @> to_jsonb(${text}::text) or ${hasEmailAddress(column, text)})`,
  )
  return matches.length > 0 ? sql<SqlBool>`(${sql.join(matches, sql` and `)})` : sql<SqlBool>`true`
}
