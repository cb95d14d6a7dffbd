import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { followWorkers } from '../../src/database/citus/account-workers.ts'
import { shardOf } from '../support/cluster.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const railyard = await startRailyardForFile()

test('an account’s worker is the one that has its shard', async () => {
  const url = railyard.world.settings.databaseUrl ?? ''
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const workers = followWorkers(pool, () => undefined)
  const ports = new Set<number>()
  for (let count = 0; count < 20; count++) {
    const account = `shop-${count}`
    const { port } = await shardOf(url, account)
    expect(await workers.of(account)).toBe(`127.0.0.1:${port}`)
    ports.add(port)
  }
  expect(ports.size).toBe(2)
})
