import { expect, test } from 'vitest'
import {
  download,
  execute,
  linkTo,
  newestExecution,
  readCsv,
  startWithoutReportRounds,
  transactionsReport,
} from '../../../test/support/domains/reports.ts'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { openShop } from '../../../test/support/shop.ts'
import { writeChunk } from './file.store.ts'
import { beginJob, claimJob, endJob, type Job, leaseEnd } from './job.store.ts'
import { makeReports } from './make-reports.ts'

const railyard = await startWithoutReportRounds()

const DAY_MS = 86_400_000

/** Leases the next report, as a process does. */
async function leaseJob(): Promise<Job> {
  const job = await claimJob(railyard.world)
  if (!job) throw new Error('no report was due')
  return job
}

const namesOf = async (account: string) =>
  (
    await railyard.world.run<{ name: string }>(
      'select name from events where merchant_account_id = $1 order by position',
      [account],
    )
  )
    .map(({ name }) => name)
    .filter((name) => name.startsWith('report-'))

test('another process makes a report again whose process died while it wrote the file', async () => {
  const shop = await openShop(railyard)
  const paid = await shop.authorized(10_00)
  const report = (await shop.post('/reports', transactionsReport())).body
  const job = await leaseJob()
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'dispatched' })
  await beginJob(railyard.world, job)
  for (const number of [0, 1, 2])
    await writeChunk(railyard.world, job, number, Buffer.from('half a file'), leaseEnd(railyard.world))
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'processing' })
  // no other process leases it before its lease ends
  await railyard.reports.runOnce()
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'processing' })
  railyard.clock.advance(61_000)
  await railyard.reports.runOnce()
  const execution = await newestExecution(shop, report.id)
  expect(execution.status).toBe('succeeded')
  expect(readCsv(await download(shop, execution))).toMatchObject([{ id: paid.id }])
  // the process was only slow, and its lease is lost
  expect(await writeChunk(railyard.world, job, 3, Buffer.from('late'), leaseEnd(railyard.world))).toBe(false)
  expect(await endJob(railyard.world, job, { chunks: 3, bytes: 30 })).toBe(false)
  expect(await namesOf(shop.account)).toEqual(['report-execution.succeeded'])
  expect(readCsv(await download(shop, execution))).toHaveLength(1)
})

test('several processes at the same time make each report once', async () => {
  const shop = await openShop(railyard)
  await shop.authorized(10_00)
  for (let count = 0; count < 5; count++)
    await shop.post('/reports', transactionsReport({ schedule: 'daily', schedule_enabled: true }))
  railyard.clock.advance(2 * DAY_MS)
  await Promise.all(Array.from({ length: 4 }, () => makeReports(railyard.world)))
  await makeReports(railyard.world)
  const { items } = (await shop.get('/report-executions?limit=100')).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual(Array(10).fill('succeeded'))
  expect(
    new Set(
      items.map(
        (item: Awaited<ReturnType<typeof newestExecution>>) =>
          `${item.report.id} ${item.context.reference_timestamp}`,
      ),
    ).size,
  ).toBe(10)
  expect(await namesOf(shop.account)).toHaveLength(10)
})

test('a report that cannot be made is tried five times, then fails, and the log says why', async () => {
  const shop = await openShop(railyard)
  const report = (await shop.post('/reports', transactionsReport())).body
  // as a later version may write it
  await railyard.world.run(
    `update reports set spec = '{"model":"transactions","params":{"fields":["tomorrow"]}}' where merchant_account_id = $1`,
    [shop.account],
  )
  const statuses: string[] = []
  for (let round = 0; round < 6; round++) {
    await railyard.reports.runOnce()
    statuses.push((await newestExecution(shop, report.id)).status)
    railyard.clock.advance(200_000)
  }
  expect(statuses).toEqual(['pending', 'pending', 'pending', 'pending', 'failed', 'failed'])
  expect(await namesOf(shop.account)).toEqual(['report-execution.failed'])
  expect(
    railyard.logged.filter(
      (line) => line.includes('a report could not be made') && line.includes('of another version'),
    ),
  ).toHaveLength(5)
  expect(await linkTo(shop, await newestExecution(shop, report.id))).toMatchObject({ status: 400 })
})

test('a report that kills each of five processes fails', async () => {
  const shop = await openShop(railyard)
  const report = (await shop.post('/reports', transactionsReport())).body
  for (let died = 0; died < 5; died++) {
    await beginJob(railyard.world, await leaseJob())
    railyard.clock.advance(61_000)
  }
  await railyard.reports.runOnce()
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'failed' })
  expect(await namesOf(shop.account)).toEqual(['report-execution.failed'])
})

test('a process that stops releases its report without counting the attempt', async () => {
  const shop = await openShop(railyard)
  await shop.authorized(10_00)
  const report = (await shop.post('/reports', transactionsReport())).body
  let checks = 0
  await makeReports(railyard.world, () => checks++ > 0)
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'pending' })
  const [row] = await railyard.world.run<{ attempts: number }>(
    'select attempts from report_executions where merchant_account_id = $1',
    [shop.account],
  )
  expect(row?.attempts).toBe(0)
  await railyard.reports.runOnce()
  expect(await newestExecution(shop, report.id)).toMatchObject({ status: 'succeeded' })
})

test('the webhook of an execution shows it as the API does', async () => {
  const shop = await openShop(railyard)
  const receiver = await startReceiver()
  await subscribe(railyard, shop.account, receiver)
  const execution = await execute(railyard, shop, transactionsReport())
  await railyard.sender.runOnce()
  await receiver.hasReceived(1)
  expect(receiver.received[0]?.event).toMatchObject({ name: 'report-execution.succeeded', target: execution })
  await receiver.close()
})

test('a report of thousands of rows has each row once, sorted or not', async () => {
  const shop = await openShop(railyard)
  const { id } = await shop.authorized(10_00)
  await railyard.world.run(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'amount', n, 'created_at', t.created_at - (n % 7) * interval '1 second'))).*
       from transactions t, generate_series(1, 2100) n where merchant_account_id = $1 and id = $2`,
    [shop.account, id],
  )
  for (const sort of [[], [{ field: 'created_at', order: 'desc' }], [{ field: 'amount', order: 'desc' }]]) {
    const lines = readCsv(
      await download(shop, await execute(railyard, shop, transactionsReport({}, { sort }))),
    )
    expect(lines).toHaveLength(2_101)
    expect(new Set(lines.map((line) => line['id'])).size).toBe(2_101)
    if (sort.length > 0 && sort[0]?.field === 'amount')
      expect(
        lines.slice(1).every((line, index) => Number(line['amount']) <= Number(lines[index]?.['amount'])),
      ).toBe(true)
  }
})
