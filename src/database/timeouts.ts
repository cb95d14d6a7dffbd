/**
 * How long a statement may take: longer than any statement of a request or of background work takes in good
 * health.
 */
export const STATEMENT_TIMEOUT_MS = 30_000

/**
 * How long a request waits for a connection that another one uses, and a statement for rows that another one
 * has locked: in good health, milliseconds.
 */
export const LOCK_TIMEOUT_MS = 2_500

/**
 * How long a command that reads whole tables, such as `verify`, waits for a lock: beside an upgrade that changes a
 * table it ends with a message, and not hours later.
 */
export const COMMAND_LOCK_TIMEOUT_MS = 600_000

/**
 * A row whose timestamp is older is visible. Code sets the timestamp before its statement: that may wait for
 * a connection and then run for 30 s before it commits.
 */
export const VISIBLE_AFTER_MS = 60_000
