import { DatabaseError } from 'pg'

/**
 * The constraint or unique index for which the database has refused a statement; undefined: for none. Citus names the
 * shard's (`buyers_pkey_102008`), and for a statement that a worker has refused in the message alone, as the last name.
 */
export function refusedBy(error: unknown): string | undefined {
  if (!(error instanceof Error && 'constraint' in error)) return undefined
  const { constraint, message } = error
  const name =
    constraint ?? (isViolation(error) ? /["»«]([^"»«]+)["»«][^"»«]*$/.exec(message)?.[1] : undefined)
  return typeof name === 'string' ? name.replace(/_\d{6,}$/, '') : undefined
}

/** PostgreSQL's class 23: a value that an integrity constraint does not allow. */
const isViolation = (error: Error): boolean => error instanceof DatabaseError && /^23/.test(error.code ?? '')
