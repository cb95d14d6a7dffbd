import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardReport, readReport, sourceOf } from '../../test/support/domains/reconciliation.ts'
import { download, execute, newestExecution, transactionsReport } from '../../test/support/domains/reports.ts'
import {
  cutNow,
  DAY_MS,
  findingsAfter,
  KEPT_MS,
  retire,
  signedInAgain,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { card, type TestRailyard } from '../../test/support/railyard.ts'
import { addService, openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import { warnings } from '../cli/start/warnings.ts'
import { toCsv } from '../reports/executions/csv.ts'
import { makeReports } from '../reports/executions/make-reports.ts'
import { models } from '../reports/models/models.ts'
import { isErasable, isPersonal, transactionFieldNames } from '../reports/models/transaction-fields.ts'
import type { ReportSpecModel } from '../reports/report.schema.ts'
import { lastRetirement, readPlanned } from '../retention/retirement.store.ts'
import { checkArchiveFolder } from './check-folder.ts'
import { withArchivedPayments } from './read-archived.ts'

// Payments of two periods are retired to files, those of a third stay; reports are the same before and after.

const folder = join(mkdtempSync(join(tmpdir(), 'railyard-archive-')), 'files')
let railyard: TestRailyard
let shop: Shop
let other: Shop
let personal: Payment
let periodEnd: string

beforeAll(async () => {
  const started = await startOldRailyard({ ARCHIVE_DIR: folder })
  railyard = { ...started, reports: { ...started.reports, runOnce: () => makeReports(started.world) } }
  shop = await openShop(railyard)
  other = await openShop(railyard)
  await addService(railyard, shop)
  const buyer = (await shop.post('/buyers', { display_name: 'Ada Lovelace', external_identifier: 'ada-1' }))
    .body.id
  personal = await shop.sold(100_00, {
    buyer_id: buyer,
    metadata: { note: 'for Ada' },
    external_identifier: 'first',
  })
  await personal.refund({ amount: 10_00 })
  // the first payment service declines it, the second is tried
  await shop.pay(200_012, { country: 'DE' })
  await shop.pay(200_016)
  await other.sold(1_00)
  await cutNow(railyard)
  periodEnd = new Date(railyard.clock.now()).toISOString()
  railyard.clock.advance(40 * DAY_MS)
  const source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const { counts } = await readReport(railyard, source, await cardReport(railyard, shop.paymentServiceId))
  expect(counts).toMatchObject({ settlement: 1 })
  // the tokens of before are over
  shop = await signedInAgain(railyard, shop)
  const authorized = await pay('authorize', 50_00)
  await shop.post(`/transactions/${authorized}/capture`, { amount: 20_00 })
  await shop.post(`/transactions/${await pay('authorize', 30_00)}/void`)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  shop = await signedInAgain(railyard, shop)
  other = await signedInAgain(railyard, other)
  await pay('capture', 70_00)
}, 600_000)
afterAll(async () => {
  await railyard.close()
  rmSync(join(folder, '..'), { recursive: true })
})

const pay = async (intent: string, amount: number): Promise<string> => {
  const { body } = await shop.post('/transactions', { amount, currency: 'EUR', payment_method: card, intent })
  return body.id
}

/** The file that a report of the shop has now. */
async function reportOf(model: ReportSpecModel, params: unknown, at?: string, account = shop.account) {
  const input = {
    account,
    schedule: 'once' as const,
    context: {
      reference_timestamp: at ?? new Date(railyard.clock.now()).toISOString(),
      reference_timezone: 'Etc/UTC',
    },
  }
  const { tables, windows } = models[model]
  const spans = windows(params, input)
  return withArchivedPayments(railyard.world, { account, spans, tables }, async (world, sources) => {
    const lines = []
    for await (const rows of models[model].rows(params, { ...input, world, sources })) lines.push(...rows)
    return toCsv(lines)
  })
}

const keptFields = transactionFieldNames.filter((name) => !isPersonal(name) && !isErasable(name))
const ever = { start: '2000-01-01', end: null }

const reports: Record<string, () => Promise<string>> = {
  'all transactions, oldest first': () => reportOf('transactions', { fields: keptFields }),
  'all transactions, newest first': () =>
    reportOf('transactions', { fields: keptFields, sort: [{ field: 'created_at', order: 'desc' }] }),
  'transactions by amount and scheme': () =>
    reportOf('transactions', {
      fields: keptFields,
      sort: [
        { field: 'scheme', order: 'asc' },
        { field: 'captured_amount', order: 'desc' },
      ],
    }),
  'transactions that were captured, of one scheme': () =>
    reportOf('transactions', {
      fields: ['id', 'captured_at'],
      filters: { captured_at: ever, scheme: ['visa'], status: ['capture_succeeded'] },
    }),
  'transactions of the first period': () =>
    reportOf('transactions', { fields: keptFields, filters: { created_at: { end: periodEnd } } }),
  'transactions that are settled': () =>
    reportOf('transactions', {
      fields: ['id', 'settled_amount'],
      sort: [{ field: 'settled', order: 'desc' }],
    }),
  retries: () => reportOf('transaction_retries', { filters: { created_at: ever } }),
  'settlement lines': () => reportOf('detailed_settlement', { filters: { ingested_at: ever } }),
  'receivables of all times': () => reportOf('accounts_receivables', { filters: { timestamp: ever } }),
  'receivables of a month, sorted': () =>
    reportOf('accounts_receivables', {
      filters: {
        timestamp: {
          start: periodEnd.slice(0, 10),
          end: new Date(Date.parse(periodEnd) + 30 * DAY_MS).toISOString(),
        },
      },
    }),
  'payment performance of the first period': () =>
    reportOf('ai_insights', { filters: { prompt_key: 'payment_performance' } }, periodEnd),
  'transactions of another account': () =>
    reportOf('transactions', { fields: keptFields }, undefined, other.account),
}

const parquetFiles = () => readdirSync(folder).filter((name) => name.endsWith('.parquet'))

test('reports are the same to the byte before and after the retirement', async () => {
  const before: Record<string, string> = {}
  for (const [name, report] of Object.entries(reports)) before[name] = await report()
  for (const [name, text] of Object.entries(before)) expect(text.split('\n').length, name).toBeGreaterThan(1)
  const retired = await retire(railyard)
  expect((await readPlanned(railyard.world.db))?.kept_by).toBeUndefined()
  expect(retired).toBe(10)
  const [{ count } = { count: -1 }] = await railyard.world.run<{ count: number }>(
    'select count(*) as count from transactions',
    [],
  )
  expect(count).toBe(1)
  const after: Record<string, string> = {}
  for (const [name, report] of Object.entries(reports)) after[name] = await report()
  expect(after).toEqual(before)
  expect(await verifyFindings(railyard)).toEqual([])
})

test('the last retirement is told with its files', async () => {
  const last = await lastRetirement(railyard.world.db)
  expect(last).toMatchObject({ number: 2, actor: 'background', retired_at: expect.any(String) })
  expect(last?.files).toEqual(parquetFiles().filter((name) => name.includes('-0002-')))
})

test('a worker warns of a folder that is not there, once files must be in it', async () => {
  const settings = { archiveDir: folder, retentionMonths: 0 }
  await checkArchiveFolder(railyard.world.run, settings)
  const elsewhere = checkArchiveFolder(railyard.world.run, { ...settings, archiveDir: `${folder}-elsewhere` })
  await expect(elsewhere).rejects.toThrow(/-elsewhere does not exist, and the files of retired payments/)
  const { world } = railyard
  const withFolder = (archiveDir: string) =>
    warnings({ ...railyard, world: { ...world, settings: { ...world.settings, archiveDir } } })
  expect(await withFolder(`${folder}-elsewhere`)).toContainEqual(
    expect.stringContaining('-elsewhere does not exist'),
  )
  expect(await withFolder(folder)).not.toContainEqual(expect.stringContaining('ARCHIVE_DIR'))
})

test('a retirement has three files, which their owner alone may read', () => {
  expect(parquetFiles()).toHaveLength(6)
  expect(readdirSync(folder)).toEqual(parquetFiles())
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of parquetFiles()) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
})

test('a file has nothing of the buyer, and the report shows those columns empty', async () => {
  for (const name of parquetFiles())
    expect(readFileSync(join(folder, name)).includes('Ada'), name).toBe(false)
  const csv = await reportOf('transactions', {
    fields: ['external_identifier', 'buyer_external_identifier', 'metadata', 'billing_details_first_name'],
    filters: { created_at: { end: periodEnd } },
  })
  expect(csv.split('\r\n')).toContain('first,,,')
  expect(csv).not.toContain('ada-1')
})

test('a report that a merchant asks for has the retired payments', async () => {
  const execution = await execute(railyard, shop, transactionsReport())
  expect(await download(shop, execution)).toContain(personal.id)
})

describe('a file that is not as it was', () => {
  const path = (kind: string) =>
    join(folder, parquetFiles().find((name) => name.startsWith(`${kind}-0001`)) ?? '')
  const whileChanged = async (
    kind: string,
    change: (path: string, bytes: Buffer) => void,
    then: () => Promise<void>,
  ) => {
    const file = path(kind)
    const bytes = readFileSync(file)
    change(file, bytes)
    try {
      await then()
    } finally {
      rmSync(file, { force: true })
      writeFileSync(file, bytes, { mode: 0o600 })
    }
  }
  const changes: [string, (path: string, bytes: Buffer) => void][] = [
    ['missing', (file) => rmSync(file)],
    ['truncated', (file, bytes) => writeFileSync(file, bytes.subarray(0, -1))],
    [
      'changed in one bit',
      (file, bytes) =>
        writeFileSync(
          file,
          bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte)),
        ),
    ],
    [
      'a symbolic link to a copy of it',
      (file, bytes) => {
        writeFileSync(`${folder}.copy`, bytes)
        rmSync(file)
        symlinkSync(`${folder}.copy`, file)
      },
    ],
    [
      'a pipe that no program writes to',
      (file) => {
        rmSync(file)
        execFileSync('mkfifo', [file])
      },
    ],
  ]

  test.each(changes)('is found by verify and fails the report: %s', async (_what, change) => {
    for (const kind of ['transactions', 'operations', 'settlements']) {
      const file = path(kind)
      await whileChanged(kind, change, async () => {
        expect(await verifyFindings(railyard)).toEqual([expect.stringContaining(file)])
        await expect(reportOf('accounts_receivables', { filters: { timestamp: ever } })).rejects.toThrow(file)
      })
    }
    expect(await verifyFindings(railyard)).toEqual([])
  })

  test('makes the report wait, and the log names the file', async () => {
    const file = path('transactions')
    await whileChanged(
      'transactions',
      (file) => rmSync(file),
      async () => {
        const created = await shop.post('/reports', transactionsReport())
        await railyard.reports.runOnce()
        expect(await newestExecution(shop, created.body.id)).toMatchObject({ status: 'pending' })
        expect(railyard.logged.findLast((line) => line.includes('a report could not be made'))).toContain(
          file,
        )
      },
    )
    railyard.clock.advance(60_000)
    await railyard.reports.runOnce()
  })

  test('does not matter to a report about later payments', async () => {
    await whileChanged(
      'transactions',
      (file) => rmSync(file),
      async () => {
        const later = new Date(railyard.clock.now() - DAY_MS).toISOString()
        expect(
          await reportOf('transactions', { fields: ['id'], filters: { created_at: { start: later } } }),
        ).toContain('-')
      },
    )
  })
})

test.each([
  ['the hash of a file', `update archived_files set sha256 = '\\x00'`],
  ['the times of a file', `update archived_files set latest = earliest`],
  ['the name of a file', `update archived_files set name = 'x-' || name`],
  ['that there are files', 'delete from archived_files'],
])('verify finds that %s was changed in the database', async (_what, change) => {
  expect(await findingsAfter(railyard, change)).toContainEqual(
    expect.stringMatching(/^retirement \d is not what was sealed$/),
  )
})
