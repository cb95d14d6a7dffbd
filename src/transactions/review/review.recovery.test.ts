import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService } from '../../../test/support/domains/gift-cards.ts'
import { reviewsOf } from '../../../test/support/domains/reviews.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import type { Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import { recoverReview } from './review.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const fraud = await addAntiFraudService(railyard, shop)
await addGiftCardService(railyard, shop)
const { payForReview, names } = reviewsOf(railyard, shop)

describe('recovery', () => {
  const setActiveOperation = (id: string, operation: string | null) =>
    railyard.world.run(
      'update transactions set active_operation_id = $3 where merchant_account_id = $1 and id = $2',
      [shop.account, id, operation],
    )

  test('applies a decision that came while another operation was under way', async () => {
    const payment = await payForReview(31_00)
    await setActiveOperation(payment.id, randomUUID())
    expect(await fraud.decides(payment.id, 'ACCEPT')).toMatchObject({ status: 200, body: { received: true } })
    expect(await payment.read()).toMatchObject({
      captured_amount: 0,
      pending_review: true,
      anti_fraud_decision: 'accept',
    })
    await runRecoveryLater()
    expect(await payment.read()).toMatchObject({ captured_amount: 0, pending_review: true })
    await setActiveOperation(payment.id, null)
    await runRecoveryLater()
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 31_00,
      pending_review: false,
    })
    expect((await names(payment)).filter((name) => name === 'transaction.review-accepted')).toHaveLength(1)
    expect(await checkTimesOf(payment)).toEqual([null])
  })

  test('applies a decision that waited for a void which then failed', async () => {
    const payment = await payForReview(510001)
    const [refused] = await Promise.all([payment.void(), fraud.decides(payment.id, 'ACCEPT')])
    expect([200, 400, 425]).toContain(refused.status)
    await recoverFully(railyard)
    await runRecoveryLater()
    expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', pending_review: false })
    await expectBooksMatch(railyard, shop.account)
  })

  test('finds the capture or the void after a decision whose answer was lost', async () => {
    for (const [decision, operation, status] of [
      ['ACCEPT', 'capture', 'capture_succeeded'],
      ['REJECT', 'void', 'authorization_voided'],
    ] as const) {
      const payment = await payForReview(32_00)
      await injectFaults(railyard, { operation, kind: 'lost' }, { operation: 'find', kind: 'outage' })
      await fraud.decides(payment.id, decision)
      expect((await payment.read()).status).not.toBe(status)
      await recoverFully(railyard)
      expect(await payment.read()).toMatchObject({ status, pending_review: false })
    }
    await expectBooksMatch(railyard, shop.account)
  })
})

async function runRecoveryLater() {
  railyard.clock.advance(120_000)
  await railyard.recovery.runOnce()
}

/** The times at which recovery looks at the payment's screening again; null: never. */
const checkTimesOf = async ({ id }: Payment) =>
  (
    await railyard.world.run<{ check_at: string | null }>(
      `select check_at from operations where merchant_account_id = $1 and transaction_id = $2 and kind = 'screening'`,
      [shop.account, id],
    )
  ).map(({ check_at }) => check_at)

test('a void that the payment service refuses is not repeated, even when recovery runs meanwhile', async () => {
  const payment = await payForReview(510_002)
  const { world } = railyard
  const [screening] = await readOperations(world, shop.account, payment.id)
  if (!screening) throw new Error('nothing was screened')
  await injectFaults(railyard, { operation: 'void', kind: 'delay', delay_ms: 300 })
  const decided = fraud.decides(payment.id, 'REJECT')
  const kinds = async () => (await readOperations(world, shop.account, payment.id)).map(({ kind }) => kind)
  await expect.poll(kinds).toContain('void')
  await recoverReview(world, screening)
  await decided
  await recoverFully(railyard)
  const voids = (await readOperations(world, shop.account, payment.id)).filter(({ kind }) => kind === 'void')
  expect(voids.map(({ status }) => status)).toEqual(['declined'])
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    pending_review: true,
    anti_fraud_decision: 'reject',
  })
})

test('a rejection voids the payment even after the merchant’s own void was refused', async () => {
  const payment = await payForReview(510_002)
  await payment.void()
  await fraud.decides(payment.id, 'REJECT')
  const voids = (await readOperations(railyard.world, shop.account, payment.id)).filter(
    ({ kind }) => kind === 'void',
  )
  expect(voids.map(({ status }) => status)).toEqual(['declined', 'declined'])
})
