import { expect, test } from 'vitest'
import { cardReport, DAY_MS, readReport, sourceOf } from '../../test/support/domains/reconciliation.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { findKeepers } from './kept-by.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const keptAfter = async (days: number) => {
  const now = railyard.clock.now() + days * DAY_MS
  const keepers = await findKeepers(railyard.world.db, '00000000-0000-0000-0000-000000000000', now)
  return keepers.map(({ reason }) => reason)
}

test('a report that is not read to its end keeps payments until it is, until its newer content is, or for 400 days', async () => {
  await shop.sold(10_00)
  railyard.clock.advance(3 * DAY_MS)
  const source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const report = await cardReport(railyard, shop.paymentServiceId)
  const stops = { name: 'June', stopped: () => true }
  expect(await readReport(railyard, source, report, stops)).toMatchObject({ status: 'stopped' })
  expect(await keptAfter(0)).toEqual(['unread_settlement_reports'])
  expect(await keptAfter(399)).toEqual(['unread_settlement_reports'])
  expect(await keptAfter(401)).toEqual([])

  // another file of the report may have other lines
  const part = `${report.split('\n')[0]}\n`
  expect(await readReport(railyard, source, part, { name: 'June' })).toMatchObject({ status: 'read' })
  expect(await keptAfter(0)).toEqual(['unread_settlement_reports'])
  expect(await readReport(railyard, source, report, { name: 'June' })).toMatchObject({ status: 'read' })
  expect(await keptAfter(0)).toEqual([])

  expect(await readReport(railyard, source, `${report}\n`, stops)).toMatchObject({ status: 'stopped' })
  expect(await keptAfter(0)).toEqual(['unread_settlement_reports'])
  const connector = railyard.world.connectors.get('mock-card')
  if (!connector) throw new Error('there is no connector')
  connector.offeredReports = async () => ({
    offered: [{ name: 'June', version: '2', async *lines() {} }],
  })
  await shop.put(`/payment-services/${shop.paymentServiceId}`, { settlement_reporting_enabled: true })
  railyard.clock.advance(DAY_MS)
  expect(await railyard.reconciliation.runOnce()).toBe(1)
  expect(await keptAfter(0)).toEqual([])
})
