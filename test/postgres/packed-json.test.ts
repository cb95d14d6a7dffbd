import { expect, onTestFinished, test } from 'vitest'
import { startProcessReports } from '../../src/vault/keys/service-processes.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('a payment is packed only if no process of a version that cannot read it runs', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const shop = await openShop(railyard)
  const formOf = async ({ id }: { id: string }) => {
    const [rows] = await world.run(
      'select count(*)::int as rows, bool_or(packed is not null) as packed from transaction_events where transaction_id = $1',
      [id],
    )
    const [exchanges] = await world.run(
      'select bool_and(packed_exchanges is not null) as exchanges from operations where transaction_id = $1',
      [id],
    )
    return { ...rows, ...exchanges }
  }
  const packed = { rows: 0, packed: null, exchanges: true }
  expect(await formOf(await shop.authorized(10_00))).toEqual(packed)

  // as a version before reports itself
  await world.run(
    `insert into service_processes (id, host, pid, encryption_keys, root_secret_known, root_secret_used, seen_at)
     select gen_random_uuid(), 'elsewhere', 4711, encryption_keys, root_secret_known, root_secret_used, now() from service_processes limit 1`,
    [],
  )
  const stop = await startProcessReports(world)
  onTestFinished(stop)
  expect(await formOf(await shop.authorized(10_00))).toEqual({ rows: 2, packed: false, exchanges: false })

  await world.run(`delete from service_processes where host = 'elsewhere'`, [])
  onTestFinished(await startProcessReports(world))
  expect(await formOf(await shop.authorized(10_00))).toEqual(packed)
})

test('lines are rows of their own beside a process that takes all that is packed with an operation for calls', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const shop = await openShop(railyard)
  // as the version reports itself that packed lists before lines were among them
  await world.run(
    `insert into service_processes (id, host, pid, encryption_keys, root_secret_known, root_secret_used, reads_packed_json, seen_at)
     select gen_random_uuid(), 'elsewhere', 4711, encryption_keys, root_secret_known, root_secret_used, true, now() from service_processes limit 1`,
    [],
  )
  onTestFinished(await startProcessReports(world))
  const { id } = await shop.authorized(10_00)
  expect(
    await world.run('select count(*)::int as rows from transaction_events where transaction_id = $1', [id]),
  ).toEqual([{ rows: 2 }])
})
