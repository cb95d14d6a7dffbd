import type { Cipher, Purpose } from '../../base/cipher.ts'
import type { Statements } from '../statements.ts'
import type { SealTable } from '../tables/accounts.ts'

/**
 * Computes keyed hashes under one generation of the instance's root secret, without which they cannot be
 * forged.
 */
export interface Sealer {
  mac: (purpose: Purpose, text: string) => Buffer
}

export const sealerOf = ({ mac }: Pick<Cipher, 'mac'>, generation: number): Sealer => ({
  mac: (purpose, text) => mac(purpose, text, generation),
})

/** A stored link of an account's chain. */
export type Seal = SealTable

/**
 * The rows that a link covers: from the position of the previous link (undefined: this is the first one) up
 * to below its own.
 */
export interface LinkRange {
  account: string
  number: number
  before: Pick<Seal, 'position' | 'hash'> | undefined
  /** The first position that the link does not cover. */
  position: number
  /** In the form in which the database returns it. */
  createdAt: string
}

/** A link computed from the rows of its range. */
export interface Link {
  entries: number
  hash: Buffer
}

/**
 * A log with a chain for each account: links of keyed hashes, each over the previous link and the rows since.
 * Rows have positions in the order of their commits (`event_position`), and rows below the horizon are final.
 */
export interface Chain {
  /** The message of the log line for a new link. */
  name: 'audit seal' | 'journal seal'
  /** Its name in findings. */
  logName: string
  /** The table of the links. */
  seals: 'audit_seals' | 'journal_seals'
  /** SQL: whether the account `a.id` has rows from one position up to below another. */
  hasEntries: (from: string, below: string) => string
  /** SQL: each `account` that has rows in the log. */
  accounts: string
  /** SQL: the `count` of rows of the account $1 from the position $2 on. */
  countFrom: string
  /**
   * The end of a link that begins at `from`, at most the horizon, so that no link covers more rows than can
   * be read at once. Absent: the horizon.
   */
  end?: (run: Statements, account: string, from: number | undefined, horizon: number) => Promise<number>
  /**
   * Computes the links of ranges of one account, in their order, from the present rows of the log. `from`:
   * without the rows of payments with lower ids.
   */
  links: (run: Statements, sealer: Sealer, ranges: readonly LinkRange[], from?: string) => Promise<Link[]>
  /** Of a log whose rows go with retired payments: what a retirement asks of it. */
  retiring?: RetiringLog
}

/** SQL about the rows of the account `$1` that belong to payments with lower ids than `below`. */
export interface RetiringLog {
  /** Whether there are some from one position up to below another. */
  hasRows: (below: string, from: string, end: string) => string
  /** The lowest `position` and the highest; null: there are none. */
  span: (below: string, of: 'min' | 'max') => string
}

/** The smallest position: the first link of a chain begins here. */
export const FIRST_POSITION = '-9223372036854775808'

/**
 * SQL: whether a log has rows of the account `a` from a position on, below another. It reads the newest of them by the
 * index of positions. With `exists` PostgreSQL may read the whole table: it expects to find one of many rows soon, and at
 * rest there is none.
 */
export const hasRowsSql = (table: string, position: string, from: string, below: string): string =>
  `(select max(r.${position}) from ${table} r where r.merchant_account_id = a.id and r.${position} < ${below}) >= ${from}`
