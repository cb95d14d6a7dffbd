import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const DAY_MS = 86_400_000

const { railyard, shop } = await startShop()

const expiredAuthorization = async (amount: number, more = {}) => {
  const payment = await shop.authorized(amount, more)
  railyard.clock.advance(8 * DAY_MS)
  return payment
}

const renewal = { reauthorize_if_authorization_expired: true }

test('an authorization of eight days ago has expired: its capture is declined', async () => {
  const payment = await expiredAuthorization(40_00)
  expect((await payment.capture()).body).toMatchObject({
    status: 'authorization_succeeded',
    captured_amount: 0,
  })
  expect(await payment.captures()).toMatchObject([
    { status: 'declined', error_code: 'expired_authorization' },
  ])
})

test('if asked, a new payment with the same details is authorized, captured and answered', async () => {
  const payment = await expiredAuthorization(40_00, {
    external_identifier: 'order-1',
    metadata: { shelf: '7' },
    buyer: { display_name: 'Ada' },
  })
  const { status, body } = await payment.capture({ ...renewal, amount: 25_00, external_identifier: 'parcel' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    reauthorized_from_transaction_id: payment.id,
    status: 'capture_succeeded',
    amount: 40_00,
    authorized_amount: 40_00,
    captured_amount: 25_00,
    external_identifier: 'order-1',
    metadata: { shelf: '7' },
    buyer: { display_name: 'Ada' },
    intent_outcome: 'succeeded',
  })
  expect(body.id).not.toBe(payment.id)
  expect(await shop.payment(body.id).captures()).toMatchObject([
    { amount: 25_00, external_identifier: 'parcel', status: 'succeeded' },
  ])
})

test('the old payment stays authorized, and its story tells of the new one', async () => {
  const payment = await expiredAuthorization(40_00)
  const renewed = shop.payment((await payment.capture(renewal)).body.id)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', captured_amount: 0 })
  expect(await payment.timeline()).toEqual(
    expect.arrayContaining([
      'payment-connector-response-transaction-capture-declined',
      'reauthorization-created',
    ]),
  )
  expect(await renewed.timeline()).toContain('reauthorization-attempted')
})

test('the wrapper tells of the capture on the new payment', async () => {
  const payment = await expiredAuthorization(40_00)
  const { body } = await payment.capture(renewal, { prefer: 'resource=transaction-capture' })
  expect(body).toMatchObject({
    status: 'succeeded',
    code: null,
    transaction: { reauthorized_from_transaction_id: payment.id },
  })
  expect((await shop.payment(body.transaction.id).captures())[0].id).toBe(body.capture_id)
})

test('what was captured, disputed and settled of the earlier payment stays with it: the new one has what is left, and can be refunded in full', async () => {
  const payment = await shop.authorized(100_00)
  expect((await payment.capture({ amount: 60_00, final: false })).body).toMatchObject({
    captured_amount: 60_00,
  })
  for (const [event, amount] of [
    ['settled', 60_00],
    ['disputed', 60_00],
  ] as const)
    expect(await shop.post(`/sandbox/transactions/${payment.id}/simulate`, { event, amount })).toMatchObject({
      status: 200,
    })
  railyard.clock.advance(8 * DAY_MS)
  const { body } = await payment.capture(renewal)
  expect(body).toMatchObject({
    reauthorized_from_transaction_id: payment.id,
    amount: 40_00,
    authorized_amount: 40_00,
    captured_amount: 40_00,
    settled: false,
    settled_amount: 0,
    settled_currency: null,
    disputed: false,
    disputed_amount: 0,
  })
  expect(await payment.read()).toMatchObject({
    captured_amount: 60_00,
    settled: true,
    settled_currency: 'EUR',
    disputed: true,
    disputed_amount: 60_00,
  })
  expect(await shop.payment(body.id).refund()).toMatchObject({
    status: 201,
    body: { amount: 40_00, status: 'succeeded' },
  })
})

test('a payment that gift cards share is renewed without what they have paid', async () => {
  await addGiftCardService(railyard, shop)
  const payment = await expiredAuthorization(40_00, { gift_cards: [{ ...newGiftCard(), amount: 10_00 }] })
  const { body } = await payment.capture(renewal)
  expect(body).toMatchObject({
    reauthorized_from_transaction_id: payment.id,
    amount: 30_00,
    authorized_amount: 30_00,
    captured_amount: 30_00,
  })
  expect(body.gift_card_redemptions).toEqual([])
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }],
  })
})

test('an authorization that has not expired is captured as it is', async () => {
  const payment = await shop.authorized(40_00)
  expect((await payment.capture(renewal)).body).toMatchObject({
    id: payment.id,
    status: 'capture_succeeded',
    reauthorized_from_transaction_id: null,
  })
})

test('a renewal whose answer is lost is made once: recovery takes it to its capture', async () => {
  const payment = await expiredAuthorization(40_00)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const { body } = await payment.capture(renewal, headers)
  expect(body).toMatchObject({ reauthorized_from_transaction_id: payment.id, status: 'processing' })
  await recoverFully(railyard)
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 40_00,
  })
  expect((await payment.capture(renewal, headers)).body).toEqual(body)
  const { operations } = await booksOf(railyard)
  const reference = (await shop.payment(body.id).read()).payment_service_transaction_id
  expect(
    operations.filter(({ payment_id }) => payment_id === reference).map(({ kind, status }) => [kind, status]),
  ).toEqual([
    ['authorize', 'approved'],
    ['capture', 'approved'],
  ])
})

test('a renewal that is refused is answered as the failed payment that it is', async () => {
  const payment = await shop.authorized(100_000)
  await payment.increment(100_011)
  railyard.clock.advance(8 * DAY_MS)
  const { status, body } = await payment.capture(renewal)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'insufficient_funds',
    reauthorized_from_transaction_id: payment.id,
  })
})

/** What the payment service has captured for these payments. */
const charged = async (...ids: string[]) => {
  const references = new Set(
    await Promise.all(ids.map(async (id) => (await shop.payment(id).read()).payment_service_transaction_id)),
  )
  return (await booksOf(railyard)).payments
    .filter(({ payment_id }) => references.has(payment_id))
    .reduce((sum, { captured }) => sum + captured, 0)
}

const refusedAsRenewed = {
  status: 400,
  body: { message: expect.stringContaining('another payment has renewed the authorization') },
}

test('what was renewed is captured no second time: not after the new payment, and not while its answer is lost', async () => {
  const payment = await expiredAuthorization(40_00)
  const renewed = (await payment.capture(renewal)).body
  expect(await payment.capture(renewal)).toMatchObject(refusedAsRenewed)
  const other = await expiredAuthorization(40_00)
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const lost = (await other.capture(renewal)).body
  expect(lost).toMatchObject({ reauthorized_from_transaction_id: other.id, status: 'processing' })
  expect(await other.capture(renewal)).toMatchObject(refusedAsRenewed)
  await recoverFully(railyard)
  expect(await charged(payment.id, renewed.id, other.id, lost.id)).toBe(80_00)
})

test('a new payment that fails leaves the old one to be renewed again', async () => {
  const payment = await expiredAuthorization(40_00)
  await injectFaults(railyard, { operation: 'authorize', kind: 'rate_limit', per_second: 0, times: 1 })
  const failed = (await payment.capture(renewal)).body
  expect(failed).toMatchObject({
    reauthorized_from_transaction_id: payment.id,
    status: 'authorization_failed',
  })
  const renewed = (await payment.capture(renewal)).body
  expect(renewed).toMatchObject({ reauthorized_from_transaction_id: payment.id, status: 'capture_succeeded' })
  expect(await payment.capture(renewal)).toMatchObject(refusedAsRenewed)
  expect(await charged(payment.id, failed.id, renewed.id)).toBe(40_00)
})

test('what was renewed under a version that left it open is closed by an upgrade', async () => {
  const [renewed, failed] = [await expiredAuthorization(40_00), await expiredAuthorization(40_00)]
  expect((await renewed.capture(renewal)).body).toMatchObject({ status: 'capture_succeeded' })
  await injectFaults(railyard, { operation: 'authorize', kind: 'rate_limit', per_second: 0, times: 1 })
  expect((await failed.capture(renewal)).body).toMatchObject({ status: 'authorization_failed' })
  const { run } = railyard.world
  await run('update transactions set capture_closed = false where id = $1', [renewed.id])
  await run(await readFile(new URL('../../database/migrations/038-renewed.sql', import.meta.url), 'utf8'), [])
  expect(await renewed.capture(renewal)).toMatchObject(refusedAsRenewed)
  expect((await failed.capture(renewal)).body).toMatchObject({ status: 'capture_succeeded' })
})
