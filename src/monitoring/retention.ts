import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000

const BATCH = 10_000

/** Samples that are too old, and all of metrics that were deleted: metric by metric along the primary key, as no index holds times alone. */
const erase = `
delete from monitoring_samples s
 using (select s.merchant_account_id, s.metric_id, s.taken_at
          from monitoring_metrics m
          join monitoring_samples s
            on s.merchant_account_id = m.merchant_account_id and s.metric_id = m.id
           and ${isInCurrentTimeSql('m.merchant_account_id', 2)}
           and s.taken_at < case when m.deleted_at is null then $1::timestamptz else 'infinity' end
         limit ${BATCH}) old
 where s.merchant_account_id = old.merchant_account_id and s.metric_id = old.metric_id and s.taken_at = old.taken_at
returning 1 as one`

const forget = `
delete from monitoring_metrics m
 where m.deleted_at is not null
   and not exists (select from monitoring_samples s where s.merchant_account_id = m.merchant_account_id and s.metric_id = m.id)`

/** Erases samples older than `MONITORING_RETENTION_DAYS`, in batches that hold no lock for long. Whatever goes wrong, the next day tries again. Incidents stay. */
export async function deleteOldSamples(world: World): Promise<void> {
  const before = new Date(world.clock.now() - world.settings.monitoringRetention * DAY_MS).toISOString()
  try {
    while ((await world.run(erase, [before, ...currentTimeValues()])).length === BATCH);
    await world.run(forget, [])
  } catch (error) {
    world.log.error({ err: error }, 'old samples of metrics could not be erased')
  }
}
