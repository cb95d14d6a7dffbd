import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launch } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'

vi.setConfig({ testTimeout: 300_000 })

let folder: string
const partitions = async (command: string, env: Record<string, string> = {}) =>
  (await launch(['src/main.js', 'partitions', command], { DATA_DIR: folder, ...env }, /(?!)/).ended).output
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-partitions-'))
  await makeInstance(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('an operator divides the tables ahead of time, and not twice', async () => {
  expect(await partitions('list')).toMatch(/^transactions {2}any time to any time {2}\d+ rows/)
  expect(await partitions('cut')).toContain('6 tables have a new partition')
  const listed = await partitions('list')
  const [, bound] = /^transactions_p1 {2}any time to (\d{4}-\d\d-01) {2}/.exec(listed) ?? []
  expect(listed).toContain(`transactions_p2  ${bound} to any time`)
  expect(listed.match(/_p[12] /g)).toHaveLength(12)
  expect(Date.parse(bound ?? '')).toBeGreaterThan(Date.now() + 2 * 86_400_000)
  // in the last days before the newest partition begins it gets its end
  await partitions('cut')
  expect(await partitions('cut')).toContain('No table was cut')
})

test('an operator sees that no payments are old enough, and that none are retired without RETENTION_MONTHS', async () => {
  expect(await partitions('retire')).toContain('RETENTION_MONTHS is not set: payments are kept for ever')
  expect(await partitions('retire', { RETENTION_MONTHS: '13' })).toContain('a whole number from 14 to 1200')
  expect(await partitions('retire', { RETENTION_MONTHS: '14' })).toContain(
    'No partition has payments that are all older than 14 months',
  )
})

test('an operator sees from when payments can be retired, and that ARCHIVE_DIR cannot be used', async () => {
  await partitions('cut')
  const listed = await partitions('list', { RETENTION_MONTHS: '24' })
  const [, year, rest] = /^transactions_p1 {2}any time to (\d{4})(-\d\d-01) {2}/m.exec(listed) ?? []
  expect(listed).toContain(
    `With RETENTION_MONTHS=24, payments before ${year}${rest} can be retired from ${Number(year) + 2}${rest}`,
  )
  const missing = { RETENTION_MONTHS: '24', ARCHIVE_DIR: '/nowhere/archive' }
  expect(await partitions('retire', missing)).toBe(
    'railyard: ARCHIVE_DIR: /nowhere does not exist, and Railyard creates no folder but the last one\n',
  )
})
