import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cutNow,
  KEPT_MS,
  locksOfRetirement,
  MONTHS,
  retire,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import { type RetentionWorld, retireDuePayments } from './retire-payments.ts'

// A process that dies in a retirement leaves either all rows or none; the next round ends it.

let folder: string
let railyard: TestRailyard
let shop: Shop
let payment: Payment
beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'railyard-archive-')), 'files')
  railyard = await startOldRailyard({ ARCHIVE_DIR: folder })
  shop = await openShop(railyard)
  payment = await shop.sold(80_00)
  await shop.sold(90_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
})
afterAll(async () => {
  await railyard.close()
  rmSync(join(folder, '..'), { recursive: true })
})

class Died extends Error {}

/** The process dies with the statement of this number. */
function dyingWorld(at: number): { world: RetentionWorld; sent: () => number } {
  let sent = 0
  const db = railyard.world.db.withPlugin({
    transformQuery({ node }) {
      sent += 1
      if (sent === at) throw new Died()
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { world: { ...railyard.world, db }, sent: () => sent }
}

/** PostgreSQL ends what a process that died held. */
const closeConnections = () =>
  railyard.world.run(
    `select pg_terminate_backend(pid)
       from ${locksOfRetirement}
        and pid <> pg_backend_pid()`,
    [],
  )

const count = async (table: string) =>
  (await railyard.world.run<{ count: number }>(`select count(*) as count from ${table}`, []))[0]?.count

test('a process that dies at any statement of a retirement leaves all payments or none, and verify finds nothing', async () => {
  const payments = await count('transactions')
  let deaths = 0
  for (let at = 1; (await count('transactions')) === payments; at++) {
    const { world, sent } = dyingWorld(at)
    const ended = await retireDuePayments(world, {
      months: MONTHS,
      archiveDir: undefined,
      actor: 'background',
      patience: 0,
    }).then(
      () => true,
      (error) => {
        if (!(error instanceof Died)) throw error
        return false
      },
    )
    if (ended && sent() >= at) throw new Error('the statement did not fail')
    await closeConnections()
    deaths += 1
    expect([payments, 0]).toContain(await count('transactions'))
    expect(await verifyFindings(railyard)).toEqual([])
  }
  expect(deaths).toBeGreaterThan(15)
  // whatever was left to do after the drop
  await retire(railyard)
  expect(await count('retirements where retired_at is null')).toBe(0)
  expect(await count('retirements')).toBe(1)
  const client = await railyard.client({ account: shop.account })
  expect(await client.get(`/transactions/${payment.id}`)).toMatchObject({ status: 404 })
}, 240_000)
