import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cardReport,
  cellsOf,
  readReport,
  reportOf as reportText,
  sourceOf,
} from '../../test/support/domains/reconciliation.ts'
import { cutNow, DAY_MS, KEPT_MS, retire, startOldRailyard } from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { toCsv } from '../reports/executions/csv.ts'
import { models } from '../reports/models/models.ts'
import type { ReportSpecModel } from '../reports/report.schema.ts'
import { readPlanned } from '../retention/retirement.store.ts'
import { withArchivedPayments } from './read-archived.ts'

// Values that a merchant or a payment service may send come through the files as they were.

/** What API and reports accept as a reference; the first one is what a program reads from a file with a byte order mark. */
const references = [
  '\ufeff1001',
  `'; drop table transactions; --`,
  '"1002",\\',
  '\u0001 \u007f',
  '\u{10ffff}😀e\u0301',
  '=1+1',
]

const folder = join(mkdtempSync(join(tmpdir(), 'railyard-archive-')), 'files')
let railyard: TestRailyard
let shop: Shop

beforeAll(async () => {
  railyard = await startOldRailyard({ ARCHIVE_DIR: folder })
  shop = await openShop(railyard)
  for (const external_identifier of references) {
    const payment = await shop.sold(100_00, { external_identifier })
    await payment.refund({ amount: 10_00, external_identifier })
  }
  railyard.clock.advance(3 * DAY_MS)
  const source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const lines = cellsOf(await cardReport(railyard, shop.paymentServiceId))
  const far = lines.map((line) => ({ ...line, posted_at: '9998-12-31T23:59:59.999Z' }))
  const { counts } = await readReport(railyard, source, reportText(far))
  expect(counts).toMatchObject({ settlement: references.length })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
})
afterAll(async () => {
  await railyard.close()
  rmSync(join(folder, '..'), { recursive: true })
})

async function reportOf(model: ReportSpecModel, params: unknown): Promise<string> {
  const context = {
    reference_timestamp: new Date(railyard.clock.now()).toISOString(),
    reference_timezone: 'Etc/UTC',
  }
  const input = { account: shop.account, schedule: 'once' as const, context }
  const { tables, windows, rows } = models[model]
  const spans = windows(params, input)
  return withArchivedPayments(
    railyard.world,
    { account: shop.account, spans, tables },
    async (world, sources) => {
      const lines = []
      for await (const some of rows(params, { ...input, world, sources })) lines.push(...some)
      return toCsv(lines)
    },
  )
}

const ever = { start: '2000-01-01', end: null }
const allReports = async () => ({
  transactions: await reportOf('transactions', { fields: ['id', 'external_identifier', 'settled_amount'] }),
  settlements: await reportOf('detailed_settlement', { filters: { ingested_at: ever } }),
  receivables: await reportOf('accounts_receivables', { filters: { timestamp: ever } }),
})

test('reports have the same references, amounts and times before and after the retirement', async () => {
  const before = await allReports()
  for (const external of references) expect(before.transactions).toContain(external.replaceAll('"', '""'))
  expect(before.settlements).toContain('9998-12-31T23:59:59.999000')
  expect(await retire(railyard)).toBe(5)
  expect((await readPlanned(railyard.world.db))?.kept_by).toBeUndefined()
  expect(await allReports()).toEqual(before)
})
