import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { erasedAnswer, type StoredAnswer } from './erased-rows.ts'

interface Answer {
  scope: string
  key: string
  answer: StoredAnswer
}

/**
 * Erases the stored answers of idempotency keys about these resources. `times`: when the resources were
 * created (ISO 8601). A key is claimed in the commit that creates its resource, so both have the same time,
 * and the index on it finds the key.
 */
export async function eraseStoredAnswers(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  times: readonly string[],
): Promise<void> {
  const { rows } = await sql<Answer>`
    select scope, key, answer
      from idempotency_keys
     where created_at = any(${[...new Set(times)]}::timestamptz[])
       and merchant_account_id = ${account}
       and resource_id = any(${ids}::uuid[])
       and answer is not null`.execute(db)
  await rewrite(db, account, rows)
}

/**
 * The same for activated gift cards: their keys are claimed before the card exists, so their times are not
 * known.
 */
export async function eraseGiftCardAnswers(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await sql<Answer>`
    select scope, key, answer
      from idempotency_keys
     where merchant_account_id = ${account}
       and representation = 'gift-card'
       and resource_id = any(${ids}::uuid[])
       and answer is not null`.execute(db)
  await rewrite(db, account, rows)
}

async function rewrite(db: Kysely<Tables>, account: string, rows: readonly Answer[]): Promise<void> {
  for (const { scope, key, answer } of rows)
    await db
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(erasedAnswer(answer)) })
      .where('merchant_account_id', '=', account)
      .where('scope', '=', scope)
      .where('key', '=', key)
      .execute()
}
