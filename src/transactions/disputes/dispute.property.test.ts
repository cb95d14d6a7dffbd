import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDisputeProvider,
  disputeNotice,
  referenceOf,
  tell,
} from '../../../test/support/domains/disputes.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { StoredDisputeNotice } from '../../database/tables/disputes.ts'
import { verify } from '../../verify/verify.ts'
import { addNotice, disputeState } from './dispute-state.ts'

const { railyard, shop } = await startShop()
addDisputeProvider(railyard)

const notice = fc.record<StoredDisputeNotice>({
  status: fc.constantFrom('inquiry', 'needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed'),
  amount: fc.integer({ min: 1, max: 3 }),
  currency: fc.constant('EUR'),
  funds: fc.constantFrom(null, 'withdrawn', 'returned'),
  reason_code: fc.constantFrom(null, '10.4', '13.1'),
  reason: fc.constant(null),
  evidence_due_at: fc.constant(null),
  // few times, so that many notices have the same
  occurred_at: fc.integer({ min: 1, max: 4 }).map((day) => `2026-01-0${day}T00:00:00.000Z`),
})

const stateOf = (notices: readonly StoredDisputeNotice[]) => {
  let sorted: ReturnType<typeof addNotice>
  for (const each of notices) sorted = addNotice(sorted ?? [], each) ?? sorted
  return sorted && disputeState(sorted)
}

test('any order and repetition of notices gives the same dispute, which never gives back more than it took', () => {
  fc.assert(
    fc.property(
      fc
        .array(notice, { minLength: 1, maxLength: 8 })
        .chain((notices) =>
          fc.tuple(fc.constant(notices), fc.shuffledSubarray([...notices, ...notices], { minLength: 0 })),
        ),
      ([notices, repeated]) => {
        const state = stateOf(notices)
        expect(stateOf([...repeated, ...notices])).toEqual(state)
        expect(state?.returned_amount).toBeLessThanOrEqual(state?.withdrawn_amount ?? 0)
      },
    ),
    { numRuns: 2_000 },
  )
})

/** A dispute that the merchant wins, and that the issuer takes up again. */
const movements = [
  { status: 'needs_response', funds: null, day: 1, line: null },
  { status: 'needs_response', funds: 'withdrawn', day: 2, line: 'disputed' },
  { status: 'won', funds: 'returned', day: 3, line: 'dispute_reversed' },
  { status: 'lost', funds: 'withdrawn', day: 4, line: 'disputed' },
] as const
const lines = movements.flatMap(({ line }) => line ?? [])

/** How many movements have happened, and in which order the payment service tells of them. */
const story = fc.integer({ min: 1, max: movements.length }).chain((happened) => {
  const notices = Array.from({ length: happened }, (_, index) => index)
  const reported = Array.from({ length: Math.max(0, happened - 1) }, () => 'line' as const)
  return fc.record({
    happened: fc.constant(happened),
    told: fc.shuffledSubarray([...notices, ...notices, ...reported], {
      minLength: notices.length * 2 + reported.length,
    }),
  })
})

test('any order and repetition of notifications beside the lines of reports gives the same disputed amount', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ happened, told }) => {
      const payment = await shop.sold(100_00)
      const reference = await referenceOf(payment)
      const { id } = disputeNotice(reference)
      let booked = 0
      for (const step of told) {
        if (step === 'line') {
          const event = lines[booked++]
          const answer = await shop.post(`/sandbox/transactions/${payment.id}/simulate`, {
            event,
            amount: 60_00,
          })
          expect(answer.status).toBe(200)
          continue
        }
        const { status = 'inquiry', funds = null, day = 0 } = movements[step] ?? {}
        const occurredAt = `2026-01-0${day}T00:00:00Z`
        const answer = await tell(railyard, shop, disputeNotice(reference, { id, status, funds, occurredAt }))
        expect(answer.status).toBe(200)
      }
      expect(await payment.read()).toMatchObject({
        disputed: true,
        disputed_amount: happened === 3 ? 0 : 60_00,
      })
    }),
    { numRuns: 25 },
  )
  expect((await verify(railyard.world.run)).findings).toEqual([])
})
