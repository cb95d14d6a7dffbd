/**
 * The constraint or unique index for which the database has refused a statement; undefined: for none. On Citus the
 * refusal has the name of the shard's: `buyers_pkey_102008`.
 */
export const refusedBy = (error: unknown): string | undefined =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint.replace(/_\d{6,}$/, '')
    : undefined
