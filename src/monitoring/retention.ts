import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000

const BATCH = 10_000

/**
 * Deletes old samples, and all samples of deleted metrics: metric by metric along the primary key, since no
 * index has the times alone.
 */
const deleteSampleBatch = `
delete from monitoring_samples s
 using (select s.merchant_account_id, s.metric_id, s.taken_at
          from monitoring_metrics m
          join monitoring_samples s
            on s.merchant_account_id = m.merchant_account_id
           and s.metric_id = m.id
           and ${isInCurrentTimeSql('m.merchant_account_id', 2)}
           and s.taken_at < case when m.deleted_at is null then $1::timestamptz else 'infinity' end
         limit ${BATCH}) old
 where s.merchant_account_id = old.merchant_account_id
   and s.metric_id = old.metric_id
   and s.taken_at = old.taken_at
returning 1 as one`

const deleteMetricRows = `
delete from monitoring_metrics m
 where m.deleted_at is not null
   and not exists (select from monitoring_samples s
                    where s.merchant_account_id = m.merchant_account_id
                      and s.metric_id = m.id)`

/**
 * Deletes samples older than `MONITORING_RETENTION_DAYS`, in batches that hold no lock for long; then the
 * rows of deleted metrics without samples. Incidents stay. After an error, the next day's run tries again.
 */
export async function deleteOldSamples(world: World): Promise<void> {
  const before = new Date(world.clock.now() - world.settings.monitoringRetention * DAY_MS).toISOString()
  try {
    while ((await world.run(deleteSampleBatch, [before, ...currentTimeValues()])).length === BATCH);
    await world.run(deleteMetricRows, [])
  } catch (error) {
    world.log.error({ err: error }, 'old samples of metrics could not be deleted; the next day tries again')
  }
}
