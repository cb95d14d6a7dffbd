import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../src/database/tables.ts'

// SQL of somebody who owns the database, in forms that Citus takes, too.

/** For this transaction no trigger refuses a change. On Citus workers do as they are told here, too. */
export async function withoutTriggers(tx: Kysely<Tables>): Promise<void> {
  await sql`set local citus.propagate_set_commands = 'local'`.execute(tx)
  await sql`set local session_replication_role = replica`.execute(tx)
}

/** A time that is later by the interval: a sum in UTC depends on no setting. */
export const shifted = (column: string, interval: string): string =>
  `(${column} at time zone 'UTC' + interval '${interval}') at time zone 'UTC'`

/** The statement that copies rows of a table; `changes`: an expression of `jsonb` with the columns that differ. */
export const copyOf = (table: string, where: string, changes: string): string =>
  `insert into ${table} select (jsonb_populate_record(row, ${changes})).* from ${table} row where ${where}`

/** The statements that move rows from one account, an expression, to another: the other one gets copies. */
export const moved = (table: string, where: string, from: string, to: string): [string, string] => [
  copyOf(
    table,
    `merchant_account_id = ${from} and ${where}`,
    `jsonb_build_object('merchant_account_id', ${to})`,
  ),
  `delete from ${table} where merchant_account_id = ${from} and ${where}`,
]
