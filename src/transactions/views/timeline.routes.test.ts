import { expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, openShop, type Payment } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const events = async (payment: Payment, query = '') =>
  (await shop.get(`/transactions/${payment.id}/events${query}`)).body

const response = 'payment-connector-response-transaction'
const call = 'payment-connector-external-transaction-request'

test('the timeline of a sale has each step from the request to the answer', async () => {
  const payment = await shop.sold(12_00)
  expect(await payment.timeline()).toEqual([
    'transaction-api-request',
    'bin-lookup-request',
    call,
    `${response}-capture-succeeded`,
    'transaction-updated-status',
    'transaction-api-response',
  ])
})

test('the timeline of a payment that is authorized, captured and refunded has each call and each change of status', async () => {
  const payment = await shop.authorized(12_00)
  await payment.capture()
  await payment.refund()
  expect(
    (await payment.timeline()).filter(
      (name) => name.startsWith(response) || name === 'transaction-updated-status' || name === call,
    ),
  ).toEqual([
    call,
    `${response}-authorization-succeeded`,
    'transaction-updated-status',
    call,
    `${response}-capture-succeeded`,
    'transaction-updated-status',
    call,
  ])
})

test('each timeline entry says what happened, at which payment service and how', async () => {
  const payment = await shop.authorized(200011)
  const { items } = await events(payment)
  const entry = (name: string) => items.find((event: { name: string }) => event.name === name)
  expect(entry(`${response}-declined`)).toMatchObject({
    type: 'transaction-event',
    context: {
      payment_service_id: shop.paymentServiceId,
      payment_service_display_name: 'Mock card',
      payment_service_definition_id: 'mock-card',
      payment_service_transaction_id: expect.any(String),
      status: 'declined',
      code: 'insufficient_funds',
      instrument_type: 'pan',
      raw_response_code: 'insufficient_funds',
      payment_method_scheme: 'visa',
      cvv_response_code: 'match',
    },
  })
  expect(entry('transaction-updated-status').context).toEqual({
    status: 'authorization_failed',
    previous_status: 'processing',
  })
  expect(entry(call)).toMatchObject({
    context: {
      method: 'POST',
      response_status_code: 201,
      success: true,
      payment_service_id: shop.paymentServiceId,
    },
  })
  expect(entry('transaction-api-response').context).toMatchObject({ response_status_code: 201 })
})

test('the timeline shows only the first and last digits of a card', async () => {
  const payment = await shop.authorized(12_00)
  const { items } = await events(payment)
  expect(items.at(-1).context.request.payment_method).toMatchObject({
    number: '411111******1111',
    security_code: '***',
  })
})

test('the timeline shows an attempt at the second payment service after the first one’s refusal', async () => {
  const merchant = await openShop(railyard)
  const second = await addService(railyard, merchant)
  await injectFaults(railyard, {
    operation: 'authorize',
    kind: 'error',
    payment_service_id: second,
    times: 1,
  })
  const payment = await merchant.authorized(300013)
  const { items } = (await merchant.get(`/transactions/${payment.id}/events`)).body
  const calls = items.filter((event: { name: string }) => event.name === call).reverse()
  expect(
    calls.map((event: { context: Record<string, unknown> }) => event.context['payment_service_id']),
  ).toEqual([merchant.paymentServiceId, second])
  expect(
    items.find((event: { name: string }) => event.name === `${response}-authorization-failed`).context,
  ).toMatchObject({
    payment_service_id: merchant.paymentServiceId,
    retry_rule: 'failure',
  })
  await recoverFully(railyard)
})

test('the timeline shows a call whose answer was lost, and the lookup of its outcome', async () => {
  await injectFaults(railyard, { operation: 'capture', kind: 'lost', times: 1 })
  const payment = await shop.authorized(12_00)
  await payment.capture()
  await recoverFully(railyard)
  const { items } = await events(payment)
  const calls = items.filter((event: { name: string }) => event.name === call).reverse()
  expect(
    calls.map(({ context }: { context: Record<string, unknown> }) => [
      context['method'],
      context['response_status_code'],
    ]),
  ).toEqual([
    ['POST', 201],
    ['POST', null],
    ['GET', 200],
  ])
})

test('timeline entries are listed newest first, and by pages in both directions', async () => {
  const payment = await shop.authorized(12_00)
  await payment.capture({ amount: 5_00, final: false })
  await payment.capture()
  const whole = (await events(payment)).items
  const forwards = []
  let page = await events(payment, '?limit=4')
  expect(page.previous_cursor).toBeNull()
  forwards.push(...page.items)
  while (page.next_cursor) {
    page = await events(payment, `?limit=4&cursor=${page.next_cursor}`)
    forwards.push(...page.items)
  }
  expect(forwards).toEqual(whole)
  const backwards = [...page.items]
  while (page.previous_cursor) {
    page = await events(payment, `?limit=4&cursor=${page.previous_cursor}`)
    backwards.unshift(...page.items)
  }
  expect(backwards).toEqual(whole)
})

test('a cursor of another transaction, a forged one and a limit out of range are refused', async () => {
  const [payment, other] = [await shop.authorized(1_00), await shop.authorized(1_00)]
  const { next_cursor: cursor } = await events(payment, '?limit=1')
  expect((await shop.get(`/transactions/${other.id}/events?cursor=${cursor}`)).status).toBe(400)
  expect((await shop.get(`/transactions/${payment.id}/events?cursor=x${cursor}`)).status).toBe(400)
  expect((await shop.get(`/transactions/${payment.id}/events?limit=101`)).status).toBe(422)
  expect((await shop.get(`/transactions/${crypto.randomUUID()}/events`)).status).toBe(404)
})

test('the timeline and the proof of a payment are the same whether they are packed or, beside an older process, plain', async () => {
  const { packedJson } = railyard.world
  const storyOf = async (isReadByAll: boolean) => {
    packedJson.isReadByAll = isReadByAll
    const payment = await shop.authorized(12_00)
    // the other form follows
    packedJson.isReadByAll = !isReadByAll
    await payment.capture()
    packedJson.isReadByAll = true
    const { items } = await events(payment)
    const proof = (await shop.get(`/transactions/${payment.id}/proof`)).body
    return {
      lines: items.map(({ name, context }: { name: string; context: object }) => [
        name,
        Object.keys(context),
      ]),
      calls: proof.operations.map(
        ({ calls, outcome_by }: { calls: { method: string }[]; outcome_by: string }) => [
          outcome_by,
          calls.map(({ method }) => method),
        ],
      ),
    }
  }
  const packed = await storyOf(true)
  expect(packed.lines).toHaveLength(11)
  expect(packed.calls).toEqual([
    ['answer', ['POST']],
    ['answer', ['POST']],
  ])
  expect(await storyOf(false)).toEqual(packed)
})
