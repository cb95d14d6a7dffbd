import { expect, test } from 'vitest'
import { openedIncident, watch } from '../../test/support/domains/monitoring.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

let shop: Shop
const railyard = await startRailyardForFile()
await railyard.monitoring.stop()

const HOUR_MS = 3_600_000

/** The ids of a list. */
async function list(path: string): Promise<string[]> {
  const { status, body } = await shop.get(path)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.items.map(({ id }: { id: string }) => id)
}

/** Opens an incident and closes it half an hour later, by removing its metric's incident policy. */
async function closedIncident(): Promise<string> {
  const metric = await watch(shop)
  const incident = await openedIncident(railyard, shop, metric)
  railyard.clock.advance(HOUR_MS / 2)
  await shop.put(`/monitoring/metrics/${metric}`, {
    display_name: 'Cards',
    alerting_policy: { params: { alert_lt: 0.8 } },
    incident_policy: null,
  })
  return incident
}

test('the incidents of all metrics or of one are listed in pages, the newest first', async () => {
  shop = await openShop(railyard)
  const metric = await watch(shop)
  const other = await closedIncident()
  const own = await openedIncident(railyard, shop, metric)
  expect(await list('/monitoring/incidents')).toEqual([own, other])
  expect(await list(`/monitoring/metrics/${metric}/incidents`)).toEqual([own])
  const { next_cursor } = (await shop.get('/monitoring/incidents?limit=1')).body
  expect(await list(`/monitoring/incidents?limit=1&cursor=${next_cursor}`)).toEqual([other])
  expect(
    (await shop.get(`/monitoring/metrics/${metric}/incidents?limit=1&cursor=${next_cursor}`)).status,
  ).toBe(400)
})

test('an interval selects the incidents that were open at some time within it', async () => {
  shop = await openShop(railyard)
  const past = await closedIncident()
  railyard.clock.advance(HOUR_MS)
  const metric = await watch(shop)
  const open = await openedIncident(railyard, shop, metric)
  railyard.clock.advance(2 * HOUR_MS)
  const during = (interval: string) =>
    list(`/monitoring/incidents?timestamp_interval=${encodeURIComponent(interval)}`)
  expect(await during('PT10M/now')).toEqual([open])
  expect(await during('P1D/now')).toEqual([open, past])
  const { created_at, closed_at } = (await shop.get(`/monitoring/incidents/${past}`)).body
  expect(await during(`${created_at}/PT1M`)).toEqual([past])
  expect(await during(`PT10M/${created_at}`)).toEqual([])
  expect(await during(`${closed_at}/PT10M`)).toEqual([past])
  expect(await during(`${new Date(Date.parse(closed_at) + 1000).toISOString()}/PT10M`)).toEqual([])
  expect(await shop.get('/monitoring/incidents?timestamp_interval=PT1H')).toMatchObject({
    status: 400,
    body: { details: [{ location: 'query', pointer: 'timestamp_interval' }] },
  })
})

test('the notes of an incident can be changed, and nothing else', async () => {
  shop = await openShop(railyard)
  const at = `/monitoring/incidents/${await openedIncident(railyard, shop, await watch(shop))}`
  const before = (await shop.get(at)).body
  railyard.clock.advance(1_000)
  const updated = await shop.put(at, { notes: 'The issuer is down' })
  expect(updated).toMatchObject({
    status: 200,
    body: { ...before, notes: 'The issuer is down', updated_at: expect.any(String) },
  })
  expect(updated.body.updated_at > before.updated_at).toBe(true)
  expect((await shop.put(at, { notes: null })).body.notes).toBeNull()
  const refused = await Promise.all(
    [{}, { notes: '' }, { notes: 'x'.repeat(1001) }, { notes: 'x', closed_at: null }].map((body) =>
      shop.put(at, body),
    ),
  )
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
})

test('a metric has at most one open incident', async () => {
  shop = await openShop(railyard)
  const metric = await watch(shop)
  await openedIncident(railyard, shop, metric)
  await expect(openedIncident(railyard, shop, metric)).rejects.toThrow('monitoring_incidents_one_open')
})
