import { type RawBuilder, sql } from 'kysely'
import type { UserRow } from '../users/user.ts'
import { verifyPassword } from './password.ts'

/** A new password must differ from this many earlier ones, the current one included (PCI DSS 8.3.7). */
const REMEMBERED = 4

export const USED_BEFORE = `is one of your last ${REMEMBERED} passwords`

/**
 * Whether this is one of the person's last passwords. Each comparison takes as long as a sign-in, one after
 * the other.
 */
export async function wasUsedBefore(
  { password_hash, former_password_hashes }: UserRow,
  password: string,
): Promise<boolean> {
  for (const hash of [password_hash, ...former_password_hashes])
    if (hash !== null && (await verifyPassword(hash, password))) return true
  return false
}

/**
 * In the statement that replaces the current password: the earlier passwords to remember, with the current
 * one in front.
 */
export const withCurrentPassword = (): RawBuilder<string[]> =>
  sql`case
        when password_hash is null then former_password_hashes
        else (array_prepend(password_hash, former_password_hashes))[1:${sql.lit(REMEMBERED - 1)}]
      end`
