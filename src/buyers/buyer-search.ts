import { type SqlBool, sql } from 'kysely'

/** Each of the texts must be exactly one of the data of the buyer in this JSON column: `buyer_search` (SEMANTICS §3.8). */
export function hasBuyerData(column: string, texts: readonly string[]) {
  const buyer = sql.ref(column)
  const billing = sql`${buyer}#>'{billing_details}'`
  return sql<SqlBool>`${texts}::text[] <@ array[
  ${buyer}->>'id', ${buyer}->>'display_name', ${buyer}->>'external_identifier', ${buyer}->>'account_number',
  ${billing}->>'first_name', ${billing}->>'last_name', ${billing}->>'email_address', ${billing}->>'phone_number',
  ${billing}#>>'{tax_id,value}', ${billing}#>>'{address,line1}', ${billing}#>>'{address,city}', ${billing}#>>'{address,postal_code}']`
}
