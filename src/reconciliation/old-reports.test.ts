import { expect, test } from 'vitest'
import { openBnplShop } from '../../test/support/domains/bnpl.ts'
import { DAY_MS, switchReportsOn } from '../../test/support/domains/reconciliation.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { ReportUnavailable } from '../connectors/contract/offered-reports.ts'

const railyard = await startRailyardForFile()

test('reports of 400 days are asked for until a round has read all of them, later those since that round', async () => {
  const shop = await openBnplShop(railyard)
  const connector = await switchReportsOn(railyard, shop)
  let isAvailable = false
  let isPartial = true
  const asked: number[] = []
  connector.offeredReports = async (_call, since) => {
    asked.push(Math.round((railyard.clock.now() - Date.parse(since)) / DAY_MS))
    return {
      isPartial,
      offered: ['recent', 'old'].map((name) => ({
        name,
        version: '1',
        async *lines() {
          if (name === 'old' && !isAvailable) throw new ReportUnavailable('no answer in time')
          yield { type: 'FEE', order_id: name }
        },
      })),
    }
  }
  const fetchAfter = (days: number) => {
    railyard.clock.advance(days * DAY_MS)
    return railyard.reconciliation.runOnce()
  }
  expect([await fetchAfter(1), await fetchAfter(1)]).toEqual([1, 0])
  isAvailable = true
  expect([await fetchAfter(1), await fetchAfter(1)]).toEqual([1, 0])
  isPartial = false
  expect([await fetchAfter(1), await fetchAfter(1)]).toEqual([0, 0])
  // the worker was down
  expect([await fetchAfter(60), await fetchAfter(1), await fetchAfter(500)]).toEqual([0, 0, 0])
  expect(asked).toEqual([400, 400, 400, 400, 400, 41, 100, 41, 400])
})
