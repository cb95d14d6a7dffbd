import type { Cipher, Purpose } from '../../base/cipher.ts'
import type { Statements } from '../statements.ts'
import type { SealTable } from '../tables/accounts.ts'

/** Makes keyed hashes under one generation of the instance's root secret. They cannot be made without it. */
export interface Sealer {
  mac: (purpose: Purpose, text: string) => Buffer
}

export const sealerOf = ({ mac }: Pick<Cipher, 'mac'>, generation: number): Sealer => ({ mac: (purpose, text) => mac(purpose, text, generation) })

/** A link of an account's chain as it is kept. */
export type Seal = SealTable

/** What a link is over: what was written from the position of the link before on (undefined: this is the first), up to below its own. */
export interface LinkRange {
  account: string
  number: number
  before: Pick<Seal, 'position' | 'hash'> | undefined
  /** Where the next link begins. */
  position: number
  /** As the database answers it. */
  createdAt: string
}

/** What a range comes to. */
export interface Link {
  entries: number
  hash: Buffer
}

/**
 * A log of which each account has a chain of its own: links of keyed hashes, each over the link before and what was written since. What is written gets a position in the order of the commits
 * (`event_position`), and what is below the horizon is final.
 */
export interface Chain {
  /** As a line of the process's log calls a link. */
  name: 'audit seal' | 'journal seal'
  /** As findings call it. */
  logName: string
  /** The table of its links. */
  seals: 'audit_seals' | 'journal_seals'
  /** SQL, true where the account `a.id` has something from one position on, up to below another. */
  hasEntries: (from: string, below: string) => string
  /** SQL: the `account`s that the log has something of. */
  accounts: string
  /** SQL: how much there is of the account $1 from the position $2 on, as `count`. */
  countFrom: string
  /** Where a link ends that begins at `from`, the horizon at the latest, so that none is over more than can be read at once. Absent: at the horizon. */
  end?: (run: Statements, account: string, from: number | undefined, horizon: number) => Promise<number>
  /** Computes the links of consecutive ranges of one account from what the log says now. */
  links: (run: Statements, sealer: Sealer, ranges: readonly LinkRange[]) => Promise<Link[]>
}

/** The smallest position: the first link of a chain begins here. */
export const FIRST_POSITION = '-9223372036854775808'
