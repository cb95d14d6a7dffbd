import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launch } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'
import { openDatabase } from '../database/open-database.ts'
import { readSettings } from '../settings.ts'

vi.setConfig({ testTimeout: 300_000 })

let folder: string
const reset = (account: string) =>
  launch(['src/main.js', 'approvals', 'reset', account], { DATA_DIR: folder }, /(?!)/).ended
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-approvals-'))
  await makeInstance(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

const query = async <Row extends Record<string, unknown>>(sql: string): Promise<Row[]> => {
  const database = await openDatabase(readSettings({ DATA_DIR: folder }))
  try {
    return await database.run<Row>(sql, [])
  } finally {
    await database.close()
  }
}

test('an operator switches the policies of an account off, and the audit log has it', async () => {
  await query(
    `insert into approval_policies values ('default', gen_random_uuid(), 'Four eyes', '{refund}', '[]', '{}', '{}', 1, 72, true, now(), now())`,
  )
  expect(await reset('default')).toMatchObject({ output: expect.stringContaining('switched off: Four eyes') })
  expect(await query('select active from approval_policies')).toEqual([{ active: false }])
  expect(
    await query(`select action, resource_name from audit_entries where resource_type = 'approval-policy'`),
  ).toEqual([{ action: 'updated', resource_name: 'Four eyes' }])
  expect((await reset('default')).output).toContain('has no active approval policy')
  expect((await reset('nobody')).output).toContain('nobody')
})
