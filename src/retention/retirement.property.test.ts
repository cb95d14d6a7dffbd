import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDisputeProvider, disputeNotice, tell } from '../../test/support/domains/disputes.ts'
import {
  cutNow,
  DAY_MS,
  findingsAfter,
  KEPT_MS,
  retire,
  seal,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { card, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'

const action = fc.record({
  kind: fc.constantFrom('sale', 'sale', 'authorize', 'decline', 'refund', 'refund', 'won', 'open'),
  /** Which of the payments that there are. */
  on: fc.nat(),
})
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never
const PERIOD_DAYS = 50
const story = fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 4 })

interface PaidPayment {
  id: string
  reference: string
  period: number
  captured: boolean
  /** An open dispute keeps it. */
  disputed: boolean
}

/** Plays the actions of a period, one after the other. */
async function play(
  railyard: TestRailyard,
  shop: Awaited<ReturnType<typeof openShop>>,
  payments: PaidPayment[],
  period: number,
  actions: readonly Action[],
) {
  const client = await railyard.client({ account: shop.account })
  for (const { kind, on } of actions) {
    const payment = payments[on % Math.max(1, payments.length)]
    const isCaptured = kind === 'sale'
    if (kind === 'sale' || kind === 'authorize' || kind === 'decline') {
      const { body } = await client.post('/transactions', {
        amount: kind === 'decline' ? 200_016 : 90_00,
        currency: 'EUR',
        payment_method: card,
        intent: isCaptured ? 'capture' : 'authorize',
      })
      const { id, payment_service_transaction_id: reference } = body
      payments.push({ id, reference, period, captured: isCaptured, disputed: false })
    } else if (payment?.captured) {
      if (kind === 'refund') await client.post(`/transactions/${payment.id}/refunds`, { amount: 1_00 })
      else
        await tell(
          railyard,
          shop,
          disputeNotice(payment.reference, {
            amount: 1_00,
            ...(kind === 'won' && { status: 'won' as const, funds: 'returned' as const }),
          }),
        )
      if (kind === 'open') payment.disputed = true
    }
  }
}

test('of random payments exactly those are retired that are old and closed, and verify finds nothing but changes', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (periods) => {
      const railyard = await startOldRailyard()
      try {
        addDisputeProvider(railyard)
        const shop = await openShop(railyard)
        const payments: PaidPayment[] = []
        for (const [period, actions] of periods.entries()) {
          await play(railyard, shop, payments, period, actions)
          await cutNow(railyard)
          railyard.clock.advance(PERIOD_DAYS * DAY_MS)
        }
        // the last period stays
        railyard.clock.advance(KEPT_MS - PERIOD_DAYS * DAY_MS * 1.5)
        await retire(railyard)
        const kept = payments.find(({ disputed }) => disputed)?.period ?? periods.length - 1
        const expected = payments.filter(({ period }) => period >= Math.min(kept, periods.length - 1))
        const stored = await railyard.world.run<{ id: string }>('select id from transactions order by id', [])
        expect(stored.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
        expect(await verifyFindings(railyard)).toEqual([])
        await play(
          railyard,
          shop,
          payments.filter(({ id }) => stored.some((row) => row.id === id)),
          periods.length,
          [
            { kind: 'refund', on: 0 },
            { kind: 'sale', on: 0 },
          ],
        )
        await seal(railyard)
        expect(await verifyFindings(railyard)).toEqual([])
        for (const change of [
          'update events set sequence = sequence + 1 where position = (select min(position) from events)',
          'delete from operations where id = (select id from operations order by journal_position desc limit 1)',
          "update operations set created_at = created_at + interval '1 second' where id = (select id from operations order by journal_position limit 1)",
        ])
          expect(await findingsAfter(railyard, change)).not.toEqual([])
      } finally {
        await railyard.close()
      }
    }),
    { numRuns: 4, endOnFailure: true, seed: Number(process.env['SEED'] ?? 1) },
  )
}, 240_000)
