import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../support/cluster.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('sessions at workers have the settings of Railyard’s own, whatever their servers have', async () => {
  const own = await createDatabase('railyard_test')
  if (!own) throw new Error('there is no server')
  for (const node of (process.env['CITUS_WORKERS'] ?? '').split(' ')) {
    const worker = new pg.Client({ connectionString: node })
    await worker.connect()
    await worker.query(`alter database ${own.name} set timezone = 'Asia/Tokyo'`)
    await worker.query(`alter database ${own.name} set synchronous_commit = off`)
    await worker.end()
  }
  const railyard = await startTestRailyard({ DATABASE_URL: own.url })
  onTestFinished(() => railyard.close().then(own.drop))
  const begun = Date.now()
  const payment = await (await openShop(railyard)).sold(20_00)
  const { created_at, captured_at } = await payment.read()
  for (const at of [created_at, captured_at]) {
    expect(Date.parse(at)).toBeGreaterThan(begun - 60_000)
    expect(Date.parse(at)).toBeLessThan(Date.now() + 60_000)
  }
  const sessions = await railyard.world.run<{ result: string }>(
    `select result from run_command_on_workers('show synchronous_commit')`,
    [],
  )
  expect(sessions).toEqual([{ result: 'on' }, { result: 'on' }])
})
