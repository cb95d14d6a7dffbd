import type { Kysely } from 'kysely'
import type { Changes } from './changes.ts'
import type { Connections } from './connections.ts'
import type { PaymentPartitions } from './partitions/payment-partitions.ts'
import type { ServerTime } from './postgres/server-time.ts'
import type { Statements } from './statements.ts'
import type { Tables } from './tables.ts'

/** An open database: PostgreSQL, or the embedded one. */
export interface Database {
  /** Composed queries. */
  db: Kysely<Tables>
  /** Hand-written SQL, prepared. */
  run: Statements
  /** Which partitions `run` takes payments to be in. */
  partitions: Pick<PaymentPartitions, 'load'>
  /**
   * Creates the functions of this version (`sqlFunction`) that the database does not have. False: this role may
   * not create those without which nothing works.
   */
  createFunctions(): Promise<boolean>
  /** Announces to every process that rows have changed of which it may have copies. */
  changes: Changes
  connections(): Connections
  /** True while the database does not answer. */
  isUnavailable(): boolean
  /** The time of the server, which all processes share; the embedded database has the machine's. */
  time: Pick<ServerTime, 'now' | 'skew'>
  /** Of a database in memory alone, which `process/fork.ts` copies. */
  rows?: DatabaseRows
  close(): Promise<void>
}

/** The rows of all tables. Both wait for the statements that run, and no statement runs meanwhile. */
interface DatabaseRows {
  read(): Promise<Buffer>
  /** Replaces all rows by those that `read` of another database answered. */
  replace(rows: Buffer): Promise<void>
}

/** The database cannot be used; the message says why, without the URL, which contains a password. */
export class UnusableDatabase extends Error {}
