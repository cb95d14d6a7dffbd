import {
  ConflictError,
  createRailyard,
  NotFoundError,
  RailyardError,
  ValidationError,
} from '@railyard/client'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../support/start-railyard.ts'
import { newKey, payment, startClient } from './start-client.ts'

const railyard = await startRailyardForFile()

/** The error that a call throws. */
async function errorOf(call: Promise<unknown>): Promise<RailyardError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof RailyardError) return error
  throw new Error(`the call threw ${error}`)
}

test('a payment is created, captured, refunded and read', async () => {
  const client = await startClient(railyard)
  const created = await client.transactions.create(payment)
  expect(created).toMatchObject({ type: 'transaction', status: 'authorization_succeeded', amount: 1299 })
  const captured = await client.transactions.capture(created.id)
  expect(captured.captured_amount).toBe(1299)
  const refund = await client.transactions.refunds.create(created.id, { amount: 500, reason: 'Returned' })
  expect(refund).toMatchObject({ type: 'refund', status: 'succeeded', amount: 500 })
  expect((await client.transactions.get(created.id)).refunded_amount).toBe(500)
})

test('a declined payment is an answer, not an error', async () => {
  const client = await startClient(railyard)
  const declined = await client.transactions.create({ ...payment, amount: 200011 })
  expect(declined).toMatchObject({ status: 'authorization_failed', error_code: 'insufficient_funds' })
})

test('`prefer` answers the capture in place of the transaction', async () => {
  const client = await startClient(railyard)
  const { id } = await client.transactions.create(payment)
  const capture = await client.transactions.capture(
    id,
    { amount: 300 },
    { prefer: 'resource=transaction-capture' },
  )
  expect(capture).toMatchObject({ type: 'transaction-capture', status: 'succeeded' })
})

test('iterating a list reads all pages, with the limit and the filters of the first', async () => {
  const client = await startClient(railyard)
  for (const amount of [1, 2, 3, 4, 5]) await client.transactions.create({ ...payment, amount })
  const list = client.transactions.list({ limit: 2, currency: ['USD'] })
  const amounts = []
  for await (const { amount } of list) amounts.push(amount)
  expect(amounts).toEqual([5, 4, 3, 2, 1])
  const sizes = []
  for await (const { items } of list.pages()) sizes.push(items.length)
  expect(sizes).toEqual([2, 2, 1])
  const page = await list.page()
  expect(page.items).toHaveLength(2)
  expect(
    (await client.transactions.list({ cursor: page.next_cursor, limit: 2, currency: ['USD'] }).page()).items,
  ).toHaveLength(2)
})

test('a list without pages, a list by POST and the feed of events can be iterated', async () => {
  const client = await startClient(railyard)
  const { id } = await client.transactions.create(payment)
  const actions = []
  for await (const action of client.transactions.actions.list(id)) actions.push(action)
  expect(Array.isArray(actions)).toBe(true)
  const methods = []
  for await (const { method } of client.paymentOptions.list({ country: 'US', currency: 'USD', amount: 1 }))
    methods.push(method)
  expect(methods).toContain('card')
  const names = []
  for await (const event of client.events.list({ limit: 1 })) names.push(event.name)
  expect(names).toContain('transaction.authorized')
})

test('a request that breaks a rule is a ValidationError with the members that are wrong', async () => {
  const client = await startClient(railyard)
  const error = await errorOf(client.transactions.create({ ...payment, currency: 'QQQ' }))
  expect(error).toBeInstanceOf(ValidationError)
  expect(error).toMatchObject({ status: 400, code: 'bad_request', retryable: false })
  expect(error.details).toEqual([expect.objectContaining({ location: 'body', pointer: '/currency' })])
  expect(error.requestId).toBeTruthy()
})

test('a request of the wrong shape is a ValidationError with the same details', async () => {
  const client = await startClient(railyard)
  const unsafe: { amount: number } = JSON.parse('{"amount": "lots"}')
  const error = await errorOf(client.transactions.create({ ...payment, ...unsafe }))
  expect(error).toMatchObject({ status: 422, code: 'validation_error', retryable: false })
  expect(error).toBeInstanceOf(ValidationError)
  expect(error.details).toEqual([
    {
      location: 'body',
      pointer: '/amount',
      message: expect.stringContaining('integer'),
      type: expect.any(String),
    },
  ])
  expect(error.message).toContain('/amount')
})

test('a record that exists already is a ConflictError with its id', async () => {
  const client = await startClient(railyard)
  const first = await client.buyers.create({ external_identifier: 'ada' })
  const error = await errorOf(client.buyers.create({ external_identifier: 'ada' }))
  expect(error).toBeInstanceOf(ConflictError)
  expect(error).toMatchObject({ code: 'duplicate_record', resourceId: first.id, retryable: false })
})

test('what is not there is a NotFoundError, and a 204 is undefined', async () => {
  const client = await startClient(railyard)
  const { id } = await client.buyers.create({})
  expect(await client.buyers.delete(id)).toBeUndefined()
  expect(await errorOf(client.buyers.get(id))).toBeInstanceOf(NotFoundError)
})

test('an id with a slash stays one id, and an empty one is refused before a request', async () => {
  const client = await startClient(railyard)
  expect((await errorOf(client.buyers.get('../transactions'))).status).toBe(422)
  await expect(client.buyers.get('')).rejects.toThrow('buyers.get needs an id')
})

test('an option of a request names another merchant account', async () => {
  const { pem } = await newKey(railyard)
  const one = await railyard.merchant()
  const client = createRailyard({ baseUrl: `${railyard.url}/`, privateKey: pem })
  const { id } = await client.buyers.create({ display_name: 'Ada' }, { merchantAccount: one.account })
  expect((await client.buyers.get(id, { merchantAccount: one.account })).display_name).toBe('Ada')
  expect((await errorOf(client.buyers.get(id))).status).toBe(404)
})
