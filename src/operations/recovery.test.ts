import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { startShop } from '../../test/support/start-shop.ts'
import { createJobsUnderWay } from '../base/due-jobs.ts'
import type { OperationRow } from './operation.ts'
import { type RecoverOperation, recoverDueOperations } from './recovery.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const { world } = railyard
// the rounds of this file are its own
await railyard.recovery.stop()
const payment = await shop.authorized(10_00)

beforeEach(() => world.db.updateTable('operations').set({ check_at: null }).execute())

/** Operations whose outcome is unknown, copied from one payment's; they became due one after the other. */
const insertUnknown = (service: string, count: number, dueSinceMs: number) =>
  world.run(
    `insert into operations
     select (jsonb_populate_record(o, jsonb_build_object(
              'id', gen_random_uuid(), 'status', 'unknown', 'payment_service_id', $1::text,
              'check_at', $2::timestamptz + n * interval '1 millisecond'))).*
       from operations o, generate_series(1, $3::int) n
      where o.transaction_id = $4 and o.status = 'approved'`,
    [service, new Date(world.clock.now() - dueSinceMs).toISOString(), count, payment.id],
  )

/** Recovers operations of any service but `silent`, whose operations end once it answers. */
function recoverExcept(silent: string) {
  const answered = Promise.withResolvers<undefined>()
  const begun: OperationRow[] = []
  const recover: RecoverOperation = async (operation) => {
    begun.push(operation)
    if (operation.payment_service_id === silent) await answered.promise
    return undefined
  }
  const of = (service: string) => begun.filter((each) => each.payment_service_id === service)
  return { recover, of, answer: () => answered.resolve(undefined) }
}

test('operations of a service that does not answer delay none of another that are due later, and none is left', async () => {
  const [silent, other] = [randomUUID(), randomUUID()]
  await insertUnknown(silent, 200, 60_000)
  await insertUnknown(other, 40, 1_000)
  const { recover, of, answer } = recoverExcept(silent)
  const round = recoverDueOperations(world, recover)
  await expect.poll(() => of(other).length).toBe(40)
  expect(of(silent).length).toBeLessThan(50)
  answer()
  expect(await round).toBe(240)
  expect(new Set(of(silent).map(({ id }) => id)).size).toBe(200)
  expect(of(silent)).toHaveLength(200)
})

test('a round ends although a service does not answer, and the next one recovers what has become due', async () => {
  const [silent, other] = [randomUUID(), randomUUID()]
  await insertUnknown(silent, 100, 60_000)
  const { recover, of, answer } = recoverExcept(silent)
  const underWay = createJobsUnderWay()
  const handled = await recoverDueOperations(world, recover, { underWay, patienceMs: 10 })
  expect(of(silent)).toHaveLength(handled)
  await insertUnknown(other, 1, 1_000)
  expect(await recoverDueOperations(world, recover, { underWay, patienceMs: 10 })).toBe(1)
  expect(of(silent)).toHaveLength(handled)
  expect(of(other)).toHaveLength(1)
  answer()
  await underWay.awaitEnd()
  expect(await recoverDueOperations(world, recover, { underWay })).toBe(100 - handled)
})

test('services that do not answer take a bounded number of operations together', async () => {
  const silent = Array.from({ length: 30 }, () => randomUUID())
  for (const service of silent) await insertUnknown(service, 20, 60_000)
  const answered = Promise.withResolvers<undefined>()
  let running = 0
  let most = 0
  const recover: RecoverOperation = async () => {
    running += 1
    most = Math.max(most, running)
    await answered.promise
    running -= 1
    return undefined
  }
  const round = recoverDueOperations(world, recover)
  await expect.poll(() => running).toBeGreaterThanOrEqual(256)
  answered.resolve(undefined)
  expect(await round).toBe(600)
  expect(most).toBeLessThan(300)
})
