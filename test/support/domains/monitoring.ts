import { expect } from 'vitest'
import { openIncident } from '../../../src/monitoring/incident.store.ts'
import { findMetric } from '../../../src/monitoring/metric.store.ts'
import type { Client, TestRailyard } from '../railyard.ts'

/** A metric of the last 15 minutes that alerts below 80 %; two samples in a row open or close an incident. */
export const authRateMetric = (more: object = {}) => ({
  display_name: 'Cards',
  spec: { model: 'auth_rate', params: { filters: { datetime_range: 'PT15M/now' } } },
  alerting_policy: { strategy: 'threshold', params: { alert_lt: 0.8 } },
  incident_policy: { strategy: 'debouncing', params: { create_after_n: 2, close_after_n: 2 } },
  ...more,
})

/** Creates a metric; answers its id. */
export async function watch(shop: Client, more: object = {}): Promise<string> {
  const { status, body } = await shop.post('/monitoring/metrics', authRateMetric(more))
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}

/** Opens an incident of a metric without samples; answers its id. */
export const openedIncident = async (
  { world }: Pick<TestRailyard, 'world'>,
  { account }: Client,
  metricId: string,
): Promise<string> => {
  const metric = await findMetric(world, account, metricId)
  if (!metric) throw new Error(`${account} has no metric ${metricId}`)
  return world.db.transaction().execute((db) => openIncident(db, world, metric))
}
