import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  download,
  execute,
  linkTo,
  readCsv,
  startWithoutReportRounds,
  transactionsReport,
} from '../../../test/support/domains/reports.ts'
import { person } from '../../../test/support/people.ts'
import { openShop } from '../../../test/support/shop.ts'

const railyard = await startWithoutReportRounds({ REPORT_RETENTION_DAYS: '2' })

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MARK = 'Lovelace'
const personalReport = () =>
  transactionsReport({ name: 'Who they are' }, { fields: ['id', 'billing_details_last_name'] })

test('a link gives the file to every client that has it, as a download that no cache keeps', async () => {
  const shop = await openShop(railyard)
  const paid = await shop.authorized(10_00)
  const execution = await execute(railyard, shop, transactionsReport({ name: 'Ümsätze: täglich / "2026"\n' }))
  const link = await linkTo(shop, execution)
  expect(link).toMatchObject({ status: 200, body: { url: expect.stringContaining(railyard.url) } })
  const seconds = (Date.parse(link.body.expires_at) - railyard.clock.now()) / 1_000
  expect(seconds).toBeGreaterThan(290)
  expect(seconds).toBeLessThanOrEqual(301)
  const answer = await fetch(link.body.url)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="Umsatze-taglich-2026-${execution.context.reference_timestamp.slice(0, 10)}.csv"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(await answer.text()).toBe(`id,status,amount\r\n${paid.id},authorization_succeeded,1000\r\n`)
})

test('a changed link is a 404, an expired one a 403, and the log has neither signature', async () => {
  const shop = await openShop(railyard)
  const execution = await execute(railyard, shop, transactionsReport())
  const other = await execute(railyard, shop, transactionsReport())
  const { url } = (await linkTo(shop, execution, { expires_in: 10 })).body
  const withParameter = (name: string, value: string) => {
    const other = new URL(url)
    other.searchParams.set(name, value)
    return other.href
  }
  const status = async (link: string) => (await fetch(link)).status
  const { account, expires, signature } = Object.fromEntries(new URL(url).searchParams)
  for (const link of [
    withParameter('account', 'default'),
    withParameter('expires', String(Number(expires) + 60)),
    withParameter('signature', `${signature}A`),
    withParameter('signature', 'ä'),
  ])
    expect(await status(link)).toBe(404)
  expect(account).toBe(shop.account)
  expect(await status(url.replace(execution.id, other.id))).toBe(404)
  expect(await status(withParameter('expires', '1e400'))).toBe(422)
  expect(await status(withParameter('account', '\u0000'))).toBe(422)
  expect(await status(url.replace(execution.id, 'nobody'))).toBe(422)
  expect(await status(url)).toBe(200)
  railyard.clock.advance(11 * MINUTE_MS)
  const late = await fetch(url)
  expect({ status: late.status, body: await late.json() }).toMatchObject({
    status: 403,
    body: { type: 'error', code: 'forbidden' },
  })
  expect(railyard.logged.filter((line) => line.includes('/file?')).length).toBeGreaterThan(0)
  expect(railyard.logged.filter((line) => signature !== undefined && line.includes(signature))).toEqual([])
})

test('a link may last from a minute to a week', async () => {
  const shop = await openShop(railyard)
  const execution = await execute(railyard, shop, transactionsReport())
  for (const expires_in of [0, 10_081, 1.5, '5'])
    expect(await linkTo(shop, execution, { expires_in })).toMatchObject({ status: 422 })
  const week = await linkTo(shop, execution, { expires_in: 10_080 })
  expect(Date.parse(week.body.expires_at) - railyard.clock.now()).toBeGreaterThan(7 * DAY_MS - MINUTE_MS)
})

test('an execution without a file has no link, and neither has another report’s', async () => {
  const shop = await openShop(railyard)
  const waiting = (await shop.post('/reports', transactionsReport())).body
  const pending = { ...waiting.latest_execution, report: waiting }
  expect(await linkTo(shop, pending)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('pending') },
  })
  const execution = await execute(railyard, shop, transactionsReport())
  expect(await linkTo(shop, { ...execution, report: waiting })).toMatchObject({ status: 404 })
})

test('a file is erased after REPORT_RETENTION_DAYS, and a request for its link says so', async () => {
  const shop = await openShop(railyard)
  const execution = await execute(railyard, shop, transactionsReport())
  const { url } = (await linkTo(shop, execution, { expires_in: 10_080 })).body
  railyard.clock.advance(2 * DAY_MS - MINUTE_MS)
  await railyard.reports.runOnce()
  expect((await fetch(url)).status).toBe(200)
  railyard.clock.advance(2 * MINUTE_MS)
  await railyard.reports.runOnce()
  expect((await fetch(url)).status).toBe(404)
  expect(await linkTo(shop, execution)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('2 days') },
  })
  const left = await railyard.world.run('select 1 from report_chunks where merchant_account_id = $1', [
    shop.account,
  ])
  expect(left).toEqual([])
  expect((await shop.get(`/report-executions/${execution.id}`)).body.status).toBe('succeeded')
})

test('files are sealed in the database', async () => {
  const shop = await openShop(railyard)
  await shop.authorized(10_00, { buyer: { billing_details: { last_name: MARK } } })
  const execution = await execute(railyard, shop, personalReport())
  expect(await download(shop, execution)).toContain(MARK)
  const chunks = await railyard.world.run<{ content: Buffer }>(
    'select content from report_chunks where merchant_account_id = $1',
    [shop.account],
  )
  expect(chunks).toHaveLength(1)
  for (const { content } of chunks) {
    expect(content.includes(MARK)).toBe(false)
    expect(() => gunzipSync(content)).toThrow()
  }
})

test('people who may not see billing details can neither create a report with them nor get its file', async () => {
  const shop = await openShop(railyard)
  await shop.authorized(10_00, { buyer: { billing_details: { last_name: MARK } } })
  const personWith = (...roles: string[]) => person(railyard, { roles, merchantAccounts: [shop.account] })
  const [manager, viewer, trusted] = [
    await personWith('analyst', 'report-manager'),
    await personWith('analyst', 'report-viewer'),
    await personWith('analyst', 'report-viewer', 'pii-viewer'),
  ]
  expect(await manager.send('POST', '/reports', personalReport())).toMatchObject({ status: 403 })
  expect(await manager.send('POST', '/reports', transactionsReport())).toMatchObject({ status: 201 })
  const execution = await execute(railyard, shop, personalReport())
  const at = `/reports/${execution.report.id}/executions/${execution.id}/url`
  expect(await viewer.send('POST', at)).toMatchObject({ status: 403 })
  const link = await trusted.send('POST', at)
  expect(readCsv(await (await fetch(link.body.url)).text())).toMatchObject([
    { billing_details_last_name: MARK },
  ])
})
