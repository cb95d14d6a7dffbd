import { deleteEndedSessions } from '../accounts/sign-in/session.store.ts'
import { deleteIdleRates } from '../api/auth/rate-limit.ts'
import { currentTimeValues, isInCurrentTime, isInCurrentTimeSql } from '../base/account-clock.ts'
import { REPORT_NOTICES } from '../connectors/contract/offered-reports.ts'
import { changeInBatches } from '../database/rows/change-in-batches.ts'
import type { World } from '../world.ts'
import { openStatusesInSql } from './operation.ts'

const DAY_MS = 86_400_000

const oldKeys = {
  table: 'idempotency_keys',
  where: `created_at < $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 2)}`,
}

/** Forgets idempotency keys that are older than `IDEMPOTENCY_RETENTION`. */
export async function deleteOldIdempotencyKeys(world: World): Promise<void> {
  const before = new Date(world.clock.now() - world.settings.idempotencyRetention * DAY_MS).toISOString()
  await changeInBatches(world, oldKeys, [before, ...currentTimeValues()])
}

/** A token that is refused for its age needs no memory of its use. A day more, as clocks differ. */
async function deleteOldWalletTokens({ db, clock }: World): Promise<void> {
  const before = new Date(clock.now() - DAY_MS).toISOString()
  await db
    .deleteFrom('used_wallet_tokens')
    .where('usable_until', '<', before)
    .where(isInCurrentTime('merchant_account_id'))
    .execute()
}

/** As long as a payment service's reports are listed for the first time (`fetch-reports.ts`). */
const REPORT_NOTICE_DAYS = 400

const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * A notice is about an operation, about a payment by the payment service's id, or about reports. The case keeps
 * PostgreSQL from reading an id of the payment service as a UUID.
 */
const oldNotices = {
  table: 'provider_notices n',
  where: `n.received_at < case when n.subject = '${REPORT_NOTICES}' then $2::timestamptz else $1::timestamptz end
   and ${isInCurrentTimeSql('n.merchant_account_id', 3)}
   and not exists (select from operations o
                    where o.merchant_account_id = n.merchant_account_id
                      and o.id = case when n.subject ~ '${uuid}' then n.subject::uuid end
                      and o.status in ${openStatusesInSql})
   and not exists (select from transactions t
                     join operations o
                       on o.merchant_account_id = t.merchant_account_id
                      and o.transaction_id = t.id
                      and o.status in ${openStatusesInSql}
                    where t.merchant_account_id = n.merchant_account_id
                      and t.payment_service_transaction_id = n.subject)`,
}

const daysAgo = ({ clock }: World, days: number) => new Date(clock.now() - days * DAY_MS).toISOString()

/**
 * Deletes the notices of payment services that are older than `NOTICE_RETENTION_DAYS`. A notice
 * about an operation without an outcome, or about the payment of one, stays: a connector may read the outcome in it.
 */
export async function deleteOldNotices(world: World): Promise<void> {
  const { noticeRetention } = world.settings
  const before = daysAgo(world, noticeRetention)
  const reportsBefore = daysAgo(world, Math.max(noticeRetention, REPORT_NOTICE_DAYS))
  await changeInBatches(world, oldNotices, [before, reportsBefore, ...currentTimeValues()])
}

/**
 * What is kept of accounts for a while only, in their time. Each part goes on where another fails: the next
 * day tries again.
 */
export async function deleteOldAccountData(world: World): Promise<void> {
  await deleteOldIdempotencyKeys(world).catch((error) =>
    world.log.error({ err: error }, 'old idempotency keys could not be forgotten'),
  )
  await deleteOldWalletTokens(world).catch((error) =>
    world.log.error({ err: error }, 'used wallet tokens could not be forgotten'),
  )
  await deleteOldNotices(world).catch((error) =>
    world.log.error({ err: error }, 'old notices of payment services could not be deleted'),
  )
}

/** What is kept of the instance: to be called in the machine's time. */
export async function deleteOldInstanceData(world: World): Promise<void> {
  await deleteIdleRates(world.run, world.machineClock).catch((error) =>
    world.log.error({ err: error }, 'old request rates could not be forgotten'),
  )
  await deleteEndedSessions(world).catch((error) =>
    world.log.error({ err: error }, 'old sessions could not be forgotten'),
  )
}
