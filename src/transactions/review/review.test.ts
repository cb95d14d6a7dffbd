import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addAntiFraudService, sendReviewDecision } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { reviewsOf } from '../../../test/support/domains/reviews.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { signedReview } from '../../sandbox/providers/anti-fraud/review.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const fraud = await addAntiFraudService(railyard, shop)
await addGiftCardService(railyard, shop)
const { payForReview, names } = reviewsOf(railyard, shop)

describe('a payment that waits for a review', () => {
  test('cannot be captured', async () => {
    const payment = await payForReview(20_00)
    expect(await payment.capture()).toMatchObject({ status: 400 })
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      pending_review: true,
      anti_fraud_decision: 'review',
    })
  })

  test('with the intent capture is captured when it is accepted', async () => {
    const payment = await payForReview(21_00)
    expect(await fraud.decides(payment.id, 'ACCEPT', { comment: 'a known buyer' })).toMatchObject({
      status: 200,
      body: { received: true },
    })
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 21_00,
      intent_outcome: 'succeeded',
      pending_review: false,
      anti_fraud_decision: 'accept',
    })
    expect((await names(payment)).slice(-3)).toEqual([
      'transaction.authorized',
      'transaction.review-accepted',
      'transaction.captured',
    ])
    const { items } = (await shop.get(`/transactions/${payment.id}/events`)).body
    expect(items.find(({ name }: { name: string }) => name === 'anti-fraud-webhook').context).toEqual({
      anti_fraud_service_id: fraud.id,
      anti_fraud_service_name: 'Fraud checks',
      anti_fraud_service_definition_id: 'mock-anti-fraud',
      anti_fraud_check_id: expect.stringMatching(/^chk_/),
      content: { transaction_id: payment.id, decision: 'ACCEPT', comment: 'a known buyer' },
      content_type: 'application/json',
      decision: 'accept',
      comment: 'a known buyer',
    })
    await expectBooksMatch(railyard, shop.account)
  })

  test('with the intent authorize is left to the merchant when it is accepted', async () => {
    const payment = await payForReview(22_00, { intent: 'authorize' })
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      pending_review: false,
      captured_amount: 0,
    })
    expect(await names(payment)).toContain('transaction.review-accepted')
    expect(await payment.capture()).toMatchObject({ status: 200, body: { status: 'capture_succeeded' } })
  })

  test('is voided when it is rejected', async () => {
    for (const intent of ['authorize', 'capture']) {
      const payment = await payForReview(23_00, { intent })
      await fraud.decides(payment.id, 'REJECT')
      expect(await payment.read()).toMatchObject({
        status: 'authorization_voided',
        pending_review: false,
        anti_fraud_decision: 'reject',
        intent_outcome: intent === 'capture' ? 'failed' : 'succeeded',
      })
      expect(await names(payment)).toContain('transaction.voided')
      expect(await names(payment)).not.toContain('transaction.review-accepted')
    }
    await expectBooksMatch(railyard, shop.account)
  })

  test('cannot be captured after a rejection whose void the payment service refused', async () => {
    const payment = await payForReview(510001)
    await fraud.decides(payment.id, 'REJECT')
    const after = await payment.read()
    expect(after).toMatchObject({
      status: 'authorization_succeeded',
      pending_review: true,
      anti_fraud_decision: 'reject',
    })
    expect(await payment.capture()).toMatchObject({ status: 400 })
  })

  test('may be voided by the merchant, after which a decision changes nothing', async () => {
    const payment = await payForReview(24_00)
    expect(await payment.void()).toMatchObject({ status: 200 })
    const after = await payment.read()
    expect(after).toMatchObject({
      status: 'authorization_voided',
      pending_review: false,
      intent_outcome: 'failed',
    })
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toEqual(after)
    await expectBooksMatch(railyard, shop.account)
  })

  test('is found by the filter pending_review until it is decided', async () => {
    const payment = await payForReview(25_00)
    const listed = async () =>
      (await shop.get(`/transactions?pending_review=true&id=${payment.id}`)).body.items.length
    expect(await listed()).toBe(1)
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await listed()).toBe(0)
  })
})

describe('gift cards in a payment that waits for a review', () => {
  const sharing = () => ({ gift_cards: [{ ...newGiftCard(), amount: 5_00 }] })

  test('have paid their part, and the card’s part is captured when it is accepted', async () => {
    const payment = await payForReview(20_00, sharing())
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      authorized_amount: 15_00,
      captured_amount: 15_00,
      intent_outcome: 'succeeded',
      gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }],
    })
    await expectBooksMatch(railyard, shop.account)
  })

  test('keep what they paid when it is rejected, until the merchant refunds it', async () => {
    const payment = await payForReview(20_00, sharing())
    await fraud.decides(payment.id, 'REJECT')
    const after = await payment.read()
    expect(after).toMatchObject({
      status: 'authorization_voided',
      intent_outcome: 'failed',
      gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }],
    })
    const refund = { target_type: 'gift-card-redemption', target_id: after.gift_card_redemptions[0].id }
    expect(await payment.refund(refund)).toMatchObject({
      status: 201,
      body: { status: 'succeeded', amount: 5_00 },
    })
    await expectBooksMatch(railyard, shop.account)
  })
})

describe('a decision', () => {
  test('counts once, whatever decisions follow', async () => {
    const payment = await payForReview(26_00)
    await fraud.decides(payment.id, 'REJECT')
    const after = await payment.read()
    for (const decision of ['ACCEPT', 'REJECT', 'ACCEPT'])
      expect(await fraud.decides(payment.id, decision)).toMatchObject({ status: 200 })
    expect(await payment.read()).toEqual(after)
    expect((await payment.timeline()).filter((name) => name === 'anti-fraud-webhook')).toHaveLength(1)
  })

  test('gets the same answer whether the payment exists or not', async () => {
    const free = await shop.authorized(27_00)
    const other = await openShop(railyard)
    const otherAccounts = await other.authorized(27_00)
    const mine = await payForReview(27_00)
    const ids = [randomUUID(), free.id, otherAccounts.id, mine.id, 'no-id', '']
    for (const id of ids)
      expect(await fraud.decides(id, 'ACCEPT')).toMatchObject({ status: 200, body: { received: true } })
    expect(await free.read()).toMatchObject({
      status: 'authorization_succeeded',
      anti_fraud_decision: 'skipped',
    })
    expect(await otherAccounts.read()).toMatchObject({
      status: 'authorization_succeeded',
      anti_fraud_decision: null,
    })
  })

  test('has no effect without the URL’s token, from another service or with an unknown word', async () => {
    const payment = await payForReview(28_00)
    const other = await addAntiFraudService(railyard, shop)
    expect(
      await sendReviewDecision(railyard, fraud.webhookUrl.slice(0, -4).concat('AAAA'), {
        transaction_id: payment.id,
        decision: 'ACCEPT',
      }),
    ).toMatchObject({
      status: 404,
    })
    expect(await other.decides(payment.id, 'ACCEPT')).toMatchObject({ status: 200 })
    for (const decision of ['accept', 'MAYBE', '__proto__', null, 1, ['ACCEPT']])
      expect((await fraud.decides(payment.id, decision)).status).toBe(200)
    expect(
      (
        await sendReviewDecision(railyard, fraud.webhookUrl, {
          transaction_id: payment.id,
          decision: 'ACCEPT',
          comment: '\u0000',
        })
      ).status,
    ).toBe(422)
    expect(await payment.read()).toMatchObject({
      pending_review: true,
      anti_fraud_decision: 'review',
      captured_amount: 0,
    })
  })

  test('is refused without the service’s signature', async () => {
    const payment = await payForReview(28_50)
    const { pathname } = new URL(fraud.webhookUrl)
    const accepted = JSON.stringify({ transaction_id: payment.id, decision: 'ACCEPT' })
    const rejected = signedReview('any', { transaction_id: payment.id, decision: 'REJECT' }).headers
    const plain = { 'content-type': 'application/json' }
    for (const headers of [
      plain,
      rejected,
      { ...plain, 'x-anti-fraud-signature': '' },
      signedReview('another key', JSON.parse(accepted)).headers,
    ])
      expect(await railyard.send('POST', pathname, { headers, body: accepted })).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      })
    expect(await payment.read()).toMatchObject({
      pending_review: true,
      anti_fraud_decision: 'review',
      captured_amount: 0,
    })
  })

  test('is accepted from a service that was deleted meanwhile', async () => {
    const own = await openShop(railyard)
    const service = await addAntiFraudService(railyard, own)
    await own.delete(`/anti-fraud-services/${service.id}`)
    expect(await service.decides(randomUUID(), 'ACCEPT')).toMatchObject({
      status: 200,
      body: { received: true },
    })
  })

  test('is stored without the card number in its comment, and the comment shortened', async () => {
    const payment = await payForReview(29_00)
    await fraud.decides(payment.id, 'ACCEPT', {
      comment: `card 4111 1111 1111 1111 is fine ${'😀'.repeat(2_000)}`,
    })
    const { items } = (await shop.get(`/transactions/${payment.id}/events`)).body
    const { comment } = items.find(({ name }: { name: string }) => name === 'anti-fraud-webhook').context
    expect([comment.slice(0, 16), Array.from(comment).length <= 1_000]).toEqual(['card *** is fine', true])
    expect(railyard.logged.join('\n')).not.toContain(new URL(fraud.webhookUrl).pathname.split('/').at(-1))
  })

  test('makes the payment what the first one says, in any order and number of decisions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('authorize', 'capture'),
        fc.array(fc.constantFrom('ACCEPT', 'REJECT'), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (intent, decisions, atOnce) => {
          const payment = await payForReview(30_00, { intent })
          if (atOnce) await Promise.all(decisions.map((decision) => fraud.decides(payment.id, decision)))
          else for (const decision of decisions) await fraud.decides(payment.id, decision)
          const { status, captured_amount, pending_review, anti_fraud_decision } = await payment.read()
          const [first = ''] = decisions
          const decided = atOnce ? anti_fraud_decision : first.toLowerCase()
          const accepted =
            intent === 'capture' ? ['capture_succeeded', 30_00] : ['authorization_succeeded', 0]
          const expected = decided === 'accept' ? accepted : ['authorization_voided', 0]
          expect([status, captured_amount, pending_review, anti_fraud_decision]).toEqual([
            ...expected,
            false,
            decided,
          ])
          expect((await payment.timeline()).filter((name) => name === 'anti-fraud-webhook')).toHaveLength(1)
          expect((await payment.captures()).length).toBe(decided === 'accept' && intent === 'capture' ? 1 : 0)
        },
      ),
      { numRuns: 20 },
    )
    await expectBooksMatch(railyard, shop.account)
  })
})
