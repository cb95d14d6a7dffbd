import { expect, test } from 'vitest'
import { openBnplShop } from '../../test/support/domains/bnpl.ts'
import { DAY_MS, switchReportsOn } from '../../test/support/domains/reconciliation.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { ReportUnavailable } from '../connectors/contract/offered-reports.ts'

const railyard = await startRailyardForFile()

test('a report that comes as lines is fetched when it can be, and counts once', async () => {
  const shop = await openBnplShop(railyard)
  const id = await shop.paidOnPage(89_99, { intent: 'capture' })
  const { payment_service_transaction_id: order } = (await shop.get(`/transactions/${id}`)).body
  const connector = await switchReportsOn(railyard, shop)
  let isAvailable = false
  connector.offeredReports = async () => ({
    offered: [
      {
        name: 'XISA93DJ',
        version: '2026-03-02',
        async *lines() {
          const line = {
            type: 'SALE',
            order_id: order,
            amount: '89,99',
            purchase_currency: 'EUR',
            fee: '-0,99',
            settled_amount: '89,00',
            payout_currency: 'EUR',
            sale_date: '02.03.2026',
          }
          yield line
          if (!isAvailable) throw new ReportUnavailable('no answer in time')
        },
      },
    ],
  })
  const fetchedAfter = async (ms: number) => {
    railyard.clock.advance(ms)
    return railyard.reconciliation.runOnce()
  }
  expect(await fetchedAfter(DAY_MS)).toBe(0)
  expect((await shop.get(`/transactions/${id}/settlements`)).body.items).toEqual([])
  isAvailable = true
  expect(await fetchedAfter(DAY_MS)).toBe(1)
  expect(await fetchedAfter(DAY_MS)).toBe(0)
  expect((await shop.get(`/transactions/${id}`)).body).toMatchObject({ settled: true, settled_amount: 89_00 })
  expect((await shop.get(`/transactions/${id}/settlements`)).body.items).toMatchObject([
    { amount: 89_00, commission: 99, currency: 'EUR' },
  ])
})
