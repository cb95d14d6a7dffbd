import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { recordedRequests } from '../../../test/support/recorded-requests.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const newBuyer = async () =>
  (await shop.post('/buyers', { external_identifier: `buyer-${randomUUID()}`, display_name: 'Ada' })).body
const store = async (more: Record<string, unknown> = {}) => {
  const { security_code: _, ...stored } = card
  const answer = await shop.post('/payment-methods', { ...stored, ...more })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const readMethod = async (id: string) => (await shop.get(`/payment-methods/${id}`)).body

describe('a stored card', () => {
  test('pays by its id and counts its uses', async () => {
    const buyer = await newBuyer()
    const method = await store({ buyer_id: buyer.id })
    const paid = await shop.pay(12_00, {
      payment_method: { method: 'id', id: method.id, security_code: '123' },
    })
    expect(paid).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_succeeded',
        method: 'card',
        instrument_type: 'pan',
        payment_method: { id: method.id, label: '1111', scheme: 'visa', fingerprint: method.fingerprint },
        buyer: { id: buyer.id, display_name: 'Ada', external_identifier: buyer.external_identifier },
        cvv_response_code: 'match',
      },
    })
    expect(await readMethod(method.id)).toMatchObject({
      status: 'succeeded',
      usage_count: 1,
      cit_usage_count: 1,
      last_used_at: expect.any(String),
      scheme_transaction_id: paid.body.scheme_transaction_id,
      scheme_transaction_id_scheme: 'visa',
    })
    const { payments } = await booksOf(railyard)
    expect(
      payments.find((payment) => payment.payment_id === paid.body.payment_service_transaction_id),
    ).toMatchObject({ authorized: 12_00 })
  })

  test('charged by the merchant, counts no use by the buyer and refers to the payment in which the buyer agreed', async () => {
    const method = await store()
    const first = await shop.authorized(10_00, {
      payment_method: { id: method.id },
      payment_source: 'card_on_file',
    })
    const firstId = (await first.read()).scheme_transaction_id
    const again = await shop.authorized(11_00, {
      payment_method: { id: method.id },
      payment_source: 'recurring',
      merchant_initiated: true,
      is_subsequent_payment: true,
    })
    expect(await readMethod(method.id)).toMatchObject({
      usage_count: 2,
      cit_usage_count: 1,
      scheme_transaction_id: firstId,
    })
    const events = (await shop.get(`/transactions/${again.id}/events`)).body.items
    const request = await requestFor(again.id)
    expect(events.length).toBeGreaterThan(0)
    expect(request).toMatchObject({
      stored_credential: {
        initiator: 'merchant',
        usage: 'subsequent',
        reason: 'recurring',
        scheme_transaction_id: firstId,
      },
      card: { number: '411111******1111' },
    })
  })

  test('charged by the merchant first, gets its scheme transaction id from the buyer’s own first payment, and keeps that id', async () => {
    const method = await store()
    const charge = {
      payment_method: { id: method.id },
      payment_source: 'recurring',
      merchant_initiated: true,
      is_subsequent_payment: true,
    }
    await shop.authorized(10_00, charge)
    await shop.authorized(11_00, charge)
    const charged = await readMethod(method.id)
    expect(charged).toMatchObject({
      status: 'succeeded',
      usage_count: 2,
      cit_usage_count: 0,
      scheme_transaction_id: null,
    })
    const own = await shop.authorized(12_00, { payment_method: { id: method.id } })
    const reference = {
      scheme_transaction_id: (await own.read()).scheme_transaction_id,
      scheme_transaction_id_scheme: 'visa',
    }
    expect(await readMethod(method.id)).toMatchObject({ ...reference, usage_count: 3, cit_usage_count: 1 })
    await shop.authorized(13_00, { payment_method: { id: method.id } })
    expect(await readMethod(method.id)).toMatchObject({ ...reference, usage_count: 4, cit_usage_count: 2 })
  })

  test('cannot lose its expiration date, without which no payment service takes it', async () => {
    const method = await store()
    expect(await shop.put(`/payment-methods/${method.id}`, { expiration_date: null })).toMatchObject(
      invalidFields('/expiration_date'),
    )
    expect(await shop.pay(1_00, { payment_method: { id: method.id } })).toMatchObject({
      status: 201,
      body: { status: 'authorization_succeeded' },
    })
  })

  test('of another buyer is refused', async () => {
    const [ada, eve] = [await newBuyer(), await newBuyer()]
    const method = await store({ buyer_external_identifier: ada.external_identifier })
    expect(await shop.pay(1_00, { payment_method: { id: method.id }, buyer_id: eve.id })).toMatchObject(
      invalidFields('/payment_method/id'),
    )
  })

  test('that was deleted, or is another merchant’s, cannot pay', async () => {
    const method = await store()
    const other = await openShop(railyard)
    expect(await other.pay(1_00, { payment_method: { id: method.id } })).toMatchObject(
      invalidFields('/payment_method/id'),
    )
    expect((await shop.delete(`/payment-methods/${method.id}`)).status).toBe(204)
    expect(await shop.pay(1_00, { payment_method: { id: method.id } })).toMatchObject(
      invalidFields('/payment_method/id'),
    )
  })
})

/** The stored request to the payment service for a payment, without card data. */
async function requestFor(transaction: string): Promise<unknown> {
  const [request] = await recordedRequests(railyard.world, transaction)
  return request
}

test('a buyer’s card can be changed and deleted, and its payments show it as it was', async () => {
  const buyer = await newBuyer()
  const method = await store({ buyer_id: buyer.id })
  const paid = await shop.authorized(3_00, { payment_method: { id: method.id } })
  expect(await shop.put(`/payment-methods/${method.id}`, { expiration_date: '11/34' })).toMatchObject({
    status: 200,
    body: { expiration_date: '11/34', buyer: { id: buyer.id } },
  })
  expect((await shop.delete(`/payment-methods/${method.id}`)).status).toBe(204)
  expect((await shop.get(`/payment-methods/${method.id}`)).status).toBe(404)
  expect(await paid.read()).toMatchObject({
    payment_method: { id: method.id, expiration_date: '12/35' },
    buyer: { id: buyer.id },
  })
})

describe('a card that is stored with its payment', () => {
  test('belongs to the payment’s buyer once the payment has succeeded', async () => {
    const buyer = await newBuyer()
    const paid = await shop.pay(20_00, {
      store: true,
      payment_source: 'recurring',
      buyer_id: buyer.id,
      payment_method: { ...card, external_identifier: `card-of-${buyer.id}` },
    })
    const { id } = paid.body.payment_method
    expect(id).toEqual(expect.any(String))
    expect(await readMethod(id)).toMatchObject({
      status: 'succeeded',
      usage_count: 1,
      cit_usage_count: 1,
      external_identifier: `card-of-${buyer.id}`,
      buyer: { id: buyer.id },
      scheme_transaction_id: paid.body.scheme_transaction_id,
    })
    const listed = await shop.get(`/buyers/payment-methods?buyer_id=${buyer.id}`)
    expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([id])
    expect((await shop.pay(5_00, { payment_method: { id } })).body).toMatchObject({
      status: 'authorization_succeeded',
      buyer: { id: buyer.id },
    })
  })

  test('is not stored when the payment is declined, and its external identifier is free again', async () => {
    const name = `declined-${randomUUID()}`
    const paid = await shop.pay(200_011, {
      store: true,
      payment_method: { ...card, external_identifier: name },
    })
    expect(paid.body).toMatchObject({
      status: 'authorization_failed',
      payment_method: { id: null, label: '1111' },
    })
    expect((await shop.get(`/payment-methods?external_identifier=${name}`)).body.items).toEqual([])
    expect(await store({ external_identifier: name })).toMatchObject({ external_identifier: name })
  })

  test('is stored once recovery finds that the payment with the unknown outcome has succeeded', async () => {
    const name = `lost-${randomUUID()}`
    await injectFaults(
      railyard,
      { operation: 'authorize', kind: 'lost', times: 1 },
      { operation: 'close', kind: 'error' },
    )
    const paid = await shop.pay(21_00, {
      store: true,
      payment_method: { ...card, external_identifier: name },
    })
    expect(paid.body).toMatchObject({ status: 'processing', payment_method: { id: null } })
    expect((await shop.get(`/payment-methods?external_identifier=${name}`)).body.items).toEqual([])
    await recoverFully(railyard)
    const [method] = (await shop.get(`/payment-methods?external_identifier=${name}`)).body.items
    expect(method).toMatchObject({ status: 'succeeded', usage_count: 1 })
    expect((await shop.payment(paid.body.id).read()).payment_method.id).toBe(method.id)
  })

  test('has its external identifier alone: a second payment with it is a 409 that names the card', async () => {
    const name = `taken-${randomUUID()}`
    const first = await shop.pay(22_00, {
      store: true,
      payment_method: { ...card, external_identifier: name },
    })
    const second = await shop.pay(23_00, {
      store: true,
      payment_method: { ...card, external_identifier: name },
    })
    expect(second).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record', resource_id: first.body.payment_method.id },
    })
  })
})
