import type { KyselyPlugin, QueryId } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { retireDuePayments } from '../../src/retention/retire-payments.ts'
import {
  cutNow,
  KEPT_MS,
  MONTHS,
  seal,
  signedInAgain,
  startOldRailyard,
} from '../support/domains/retention.ts'
import { openShop } from '../support/shop.ts'

/** Does `work` when statement `at` has been answered, unless that is one that writes the plan of a retirement, or later. */
function afterStatement(at: number, work: () => Promise<void>) {
  let sent = 0
  let isPlanned = false
  const due = new WeakSet<QueryId>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      isPlanned ||= node.kind === 'DeleteQueryNode'
      if (++sent === at && !isPlanned) due.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (due.has(queryId)) await work()
      return result
    },
  }
  return plugin
}

test('a refund that is answered while its payment is being retired stays, whenever it comes before the plan', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  const { world, clock } = railyard
  const opened = await openShop(railyard)
  const payment = await opened.sold(80_00)
  await cutNow(railyard)
  let refunded = 0
  let isRefunded = true
  for (let at = 1; isRefunded; at++) {
    clock.advance(KEPT_MS)
    await seal(railyard)
    const shop = await signedInAgain(railyard, opened)
    isRefunded = false
    const plugin = afterStatement(at, async () => {
      isRefunded = true
      const { status } = await shop.post(`/transactions/${payment.id}/refunds`, { amount: 1 })
      expect(status).toBe(201)
      refunded += 1
      clock.advance(1_000)
      await seal(railyard)
    })
    const dropped = await retireDuePayments(
      { ...world, db: world.db.withPlugin(plugin) },
      { months: MONTHS, archiveDir: undefined, actor: 'background', patience: 10_000 },
    )
    expect({ at, isRefunded, dropped: dropped > 0 }).toEqual({ at, isRefunded, dropped: !isRefunded })
    if (isRefunded)
      expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
        refunded_amount: refunded,
      })
  }
  expect(refunded).toBeGreaterThan(5)
})
