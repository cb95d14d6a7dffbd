import { expect, test } from 'vitest'
import { openBnplShop } from '../../test/support/domains/bnpl.ts'
import { DAY_MS } from '../../test/support/domains/reconciliation.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import {
  type OfferedReport,
  type OfferedReports,
  ReportUnavailable,
} from '../connectors/contract/offered-reports.ts'
import { fetchReports, PERIOD_MS } from './fetch-reports.ts'

const railyard = await startRailyardForFile()
const HOUR_MS = DAY_MS / 24

/** Moves the clock to the begin of a period, so that the hours that follow are in the same one. */
const enterNextPeriod = () => railyard.clock.advance(PERIOD_MS - (railyard.clock.now() % PERIOD_MS))

/** A payment service whose reports are fetched; `offers` answers as its connector for the days that are listed. */
async function openShopThatOffers(offers: (days: number) => OfferedReports) {
  const shop = await openBnplShop(railyard)
  await railyard.admin.put(
    `/payment-services/${shop.serviceId}`,
    { settlement_reporting_enabled: true },
    { 'x-svc-merchant-account-id': shop.account },
  )
  const connector = railyard.world.connectors.get('bnpl-bnpl')
  if (!connector) throw new Error('there is no connector')
  const listed: number[] = []
  connector.offeredReports = async ({ service }, since) => {
    if (service.id !== shop.serviceId) return { offered: [] }
    const days = Math.round((railyard.clock.now() - Date.parse(since)) / DAY_MS)
    listed.push(days)
    return offers(days)
  }
  const fetchEachHour = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      railyard.clock.advance(HOUR_MS)
      await railyard.reconciliation.runOnce()
    }
    return listed.splice(0)
  }
  return { fetchEachHour }
}

const report = (name: string, problem: string | null): OfferedReport => ({
  name,
  version: '1',
  async *lines() {
    if (problem !== null) throw new ReportUnavailable(problem)
    yield { type: 'FEE', order_id: name }
  },
})

test('while an old report cannot be read, reports of 400 days are listed once a day, and the newest ones each hour', async () => {
  let problem: string | null = 'no answer in time'
  const { fetchEachHour } = await openShopThatOffers((days) => ({
    offered: days === 400 ? [report('old', problem)] : [],
  }))
  const hours = await fetchEachHour(72)
  expect(hours).toHaveLength(72)
  expect(hours[0]).toBe(400)
  expect(new Set(hours)).toEqual(new Set([400, 41]))
  const longLists = hours.flatMap((days, hour) => (days === 400 ? [hour] : []))
  // the period of the first one may have begun before it
  const gaps = longLists.slice(1).map((hour, index) => hour - (longLists[index] ?? 0))
  expect(gaps.slice(1).every((gap) => gap >= 22 && gap < 24)).toBe(true)
  expect(gaps.length).toBeGreaterThanOrEqual(3)

  problem = null
  expect(await fetchEachHour(24)).toContain(400)
  expect(new Set(await fetchEachHour(48))).toEqual(new Set([40]))
})

test('a worker that stops leaves the long list to the next one', async () => {
  const stops: boolean[] = [true, false]
  let isStopped = false
  const { fetchEachHour } = await openShopThatOffers(() => {
    isStopped = stops.shift() ?? false
    return { offered: [report('first', 'no answer in time')] }
  })
  enterNextPeriod()
  await fetchReports(railyard.world, () => isStopped)
  isStopped = false
  await fetchReports(railyard.world)
  expect(await fetchEachHour(1)).toEqual([400, 400, 41])
})

test('a report that the payment service could not make is told once a day, and not waited for', async () => {
  const { fetchEachHour } = await openShopThatOffers(() => ({
    offered: [],
    failed: [{ name: 'po_1.csv', reason: 'Internal error' }],
  }))
  const told = () => railyard.logged.filter((line) => line.includes('could not make a settlement report'))
  enterNextPeriod()
  expect(await fetchEachHour(2)).toEqual([400, 40])
  expect(told().length).toBeLessThanOrEqual(2)
  expect(JSON.parse(told()[0] ?? '')).toMatchObject({ report: 'po_1.csv', reason: 'Internal error' })
  await fetchEachHour(44)
  expect(told().length).toBeGreaterThanOrEqual(3)
  expect(told().length).toBeLessThanOrEqual(4)
})
