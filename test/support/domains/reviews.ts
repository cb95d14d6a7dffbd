import { expect } from 'vitest'
import type { TestRailyard } from '../railyard.ts'
import type { Payment, Shop } from '../shop.ts'
import { buyerScreenedAs } from './anti-fraud.ts'
import { eventsOf } from './gift-cards.ts'

/** Payments of a shop that wait for a review. */
export function reviewsOf(railyard: TestRailyard, shop: Shop) {
  /** A payment that is authorized and waits for a review. */
  async function payForReview(
    amount: number,
    { intent = 'capture', ...more }: Record<string, unknown> = {},
  ): Promise<Payment> {
    const answer = await shop.pay(amount, { intent, buyer: buyerScreenedAs('review'), ...more })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_succeeded',
        captured_amount: 0,
        pending_review: true,
        anti_fraud_decision: 'review',
      },
    })
    return shop.payment(answer.body.id)
  }

  const names = async ({ id }: Payment) => (await eventsOf(railyard, id)).map(({ name }) => name)

  return { payForReview, names }
}
