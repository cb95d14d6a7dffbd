import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { erasedAnswer, type StoredAnswer } from './erased-rows.ts'

interface Answer {
  scope: string
  key: string
  answer: StoredAnswer
}

/**
 * Erases what idempotency keys answer about these resources. A key is claimed in the commit that makes its resource, so it is as old as that: `times` are when the resources were
 * made (ISO 8601), and the index by age finds it.
 */
export async function eraseStoredAnswers(db: Kysely<Tables>, account: string, ids: readonly string[], times: readonly string[]): Promise<void> {
  const { rows } = await sql<Answer>`
    select scope, key, answer
      from idempotency_keys
     where created_at = any(${[...new Set(times)]}::timestamptz[]) and merchant_account_id = ${account} and resource_id = any(${ids}::uuid[]) and answer is not null`.execute(
    db,
  )
  await rewrite(db, account, rows)
}

/** Those of gift cards that were activated, whose keys are claimed before there is a card. */
export async function eraseGiftCardAnswers(db: Kysely<Tables>, account: string, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<Answer>`
    select scope, key, answer
      from idempotency_keys
     where merchant_account_id = ${account} and representation = 'gift-card' and resource_id = any(${ids}::uuid[]) and answer is not null`.execute(db)
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
