import { type RawBuilder, sql } from 'kysely'
import type { UserRow } from '../users/user.ts'
import { verifyPassword } from './password.ts'

/** A new password is none of so many, the present one among them (PCI DSS 8.3.7). */
const REMEMBERED = 4

export const USED_BEFORE = `is one of your last ${REMEMBERED} passwords`

/** Whether it is one of the last passwords of this person: each takes as long as a sign-in, one after the other. */
export async function wasUsedBefore({ password_hash, former_password_hashes }: UserRow, password: string): Promise<boolean> {
  for (const hash of [password_hash, ...former_password_hashes]) if (hash !== null && (await verifyPassword(hash, password))) return true
  return false
}

/** What is kept of the passwords before as the present one is replaced, by the statement that replaces it. */
export const withCurrentPassword = (): RawBuilder<string[]> =>
  sql`case
        when password_hash is null then former_password_hashes
        else (array_prepend(password_hash, former_password_hashes))[1:${sql.lit(REMEMBERED - 1)}]
      end`
