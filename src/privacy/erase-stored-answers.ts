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

const BATCH = 500

interface AnswerOfTime extends Answer {
  account: string
  created_at: string
}

/**
 * Erases the stored answers of every account to the requests that were made from one time until another (ISO 8601),
 * whatever they are about. The latest are first.
 */
export async function eraseAnswersOfTime(db: Kysely<Tables>, from: string, until: string): Promise<void> {
  for (let before: string | undefined = until; before !== undefined; ) {
    const rows = await answersOfTime(db, from, before)
    for (const [account, answers] of Map.groupBy(rows, (row) => row.account))
      await rewrite(db, account, answers)
    before = rows.length < BATCH ? undefined : rows.at(-1)?.created_at
  }
}

/** A batch of these answers, with all answers of its earliest time. */
async function answersOfTime(db: Kysely<Tables>, from: string, before: string): Promise<AnswerOfTime[]> {
  const { rows } = await sql<AnswerOfTime>`
    select merchant_account_id as account, scope, key, answer, created_at
      from idempotency_keys
     where created_at >= ${from}::timestamptz
       and created_at < ${before}::timestamptz
       and answer is not null
     order by created_at desc
     fetch first ${sql.lit(BATCH)} rows with ties`.execute(db)
  return rows
}

async function rewrite(db: Kysely<Tables>, account: string, rows: readonly Answer[]): Promise<void> {
  const erased = rows.flatMap(({ scope, key, answer }) => {
    const changed = erasedAnswer(answer)
    return JSON.stringify(changed) === JSON.stringify(answer) ? [] : [{ scope, key, answer: changed }]
  })
  if (erased.length === 0) return
  await sql`
    update idempotency_keys k
       set answer = erased.answer
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (scope text, key text, answer json)
     where k.merchant_account_id = ${account}
       and k.scope = erased.scope
       and k.key = erased.key`.execute(db)
}
