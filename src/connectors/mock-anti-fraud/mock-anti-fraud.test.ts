import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { FaultItem } from '../../sandbox/faults/fault.schema.ts'
import { signedReview } from '../../sandbox/providers/anti-fraud/review.ts'
import { type Simulator, startSimulator } from '../../sandbox/simulator.ts'
import type { AntiFraudCall, ScreenedPayment } from '../contract/anti-fraud-connector.ts'
import { type ProviderHttp, providerHttp } from '../wire/http.ts'
import { mockAntiFraud } from './connector.ts'

let simulator: Simulator
let http: ProviderHttp
beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock })
  http = providerHttp(2_000)
})
afterAll(async () => {
  await http.close()
  await simulator.close()
})

const paidBy = (email: string | null, id = randomUUID()): ScreenedPayment => ({
  id,
  transactionId: randomUUID(),
  amount: 10_00,
  currency: 'EUR',
  method: 'card',
  card: { bin: '411111', last4: '1111', scheme: 'visa', fingerprint: 'f' },
  buyer: { id: null, name: 'B', email, billing: null },
  shipping: null,
  lines: [{ name: 'Pen', quantity: 1, unit_amount: 10_00 }],
  ipAddress: '192.0.2.1',
  deviceFingerprint: 'device',
  paymentSource: 'ecommerce',
  externalIdentifier: null,
})

const newCall = (fields: Record<string, string> = { api_key: 'any' }): AntiFraudCall => ({
  http: http.request,
  service: { id: randomUUID(), fields },
})
const connector = () => mockAntiFraud(`${simulator.url}/anti-fraud`)
const screen = (payment: ScreenedPayment, call = newCall()) => connector().screen(call, payment)

async function misbehave(...items: FaultItem[]): Promise<void> {
  const body = JSON.stringify({ items })
  expect(
    (
      await fetch(`${simulator.url}/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      })
    ).status,
  ).toBe(200)
}

test.each(['accept', 'reject', 'review', 'error'] as const)(
  'the name %s in the e-mail address decides, at any domain',
  async (verdict) => {
    expect(await screen(paidBy(`${verdict}@shop.example`))).toMatchObject({
      status: 'decided',
      verdict,
      checkId: expect.stringMatching(/^chk_/),
    })
  },
)

test('accepts every other buyer', async () => {
  for (const email of ['anna@example.com', 'rejected@example.com', 'reject', 'a@reject', '@'])
    expect(await screen(paidBy(email))).toMatchObject({ verdict: 'accept' })
})

test('skips a payment without an e-mail address', async () => {
  expect(await screen(paidBy(null))).toMatchObject({
    status: 'decided',
    verdict: 'skipped',
    reason: expect.stringContaining('e-mail'),
  })
  expect(await screen({ ...paidBy(null), buyer: null })).toMatchObject({ verdict: 'skipped' })
})

test('an unavailable service has skipped the check, and a service that does not answer is an exception', async () => {
  expect(await screen(paidBy('unavailable@example.com'))).toMatchObject({
    status: 'decided',
    verdict: 'skipped',
    checkId: null,
  })
  expect(await screen(paidBy('timeout@example.com'))).toEqual({
    status: 'exception',
    reason: 'no answer in time',
  })
  expect(await screen(paidBy('accept@example.com'), newCall({}))).toMatchObject({ status: 'exception' })
})

test('a request that is repeated under its key gets the same decision, also after a lost answer', async () => {
  const [payment, call] = [paidBy('review@example.com'), newCall()]
  await misbehave({ operation: 'screening', kind: 'lost', times: 1 })
  expect(await screen(payment, call)).toMatchObject({ status: 'exception' })
  const again = await screen(payment, call)
  expect(again).toMatchObject({ verdict: 'review' })
  expect(await screen({ ...payment, card: null }, call)).toEqual(again)
  const books = (await (await fetch(`${simulator.url}/books`)).json()) as { attempts: Record<string, number> }
  expect(books.attempts[payment.id]).toBe(1)
})

test('every other fault is an exception, not a decision', async () => {
  for (const kind of ['reset', 'malformed', 'empty', 'outage'] as const) {
    await misbehave({ operation: 'screening', kind, times: 1 })
    expect(await screen(paidBy('reject@example.com'))).toMatchObject({ status: 'exception' })
  }
})

test('the service gets the payment’s data, but no card number', async () => {
  const [payment, call] = [paidBy('accept@example.com'), newCall()]
  await screen(payment, call)
  const answer = await fetch(`${simulator.url}/anti-fraud/${call.service.id}/checks/${payment.id}`, {
    headers: { 'x-api-key': 'any' },
  })
  expect(await answer.json()).toMatchObject({
    decision: 'accept',
    asked: {
      amount: 10_00,
      card: { bin: '411111', last4: '1111' },
      buyer: { email: 'accept@example.com' },
      device_fingerprint: 'device',
    },
  })
})

const signed = (body: Record<string, unknown>, key = 'any') => ({ ...signedReview(key, body), body })
const parsed = (body: Record<string, unknown>) => connector().readReviewMessage(newCall(), signed(body))

test('a decision that the service has not signed is forged', () => {
  const body = { transaction_id: 't', decision: 'ACCEPT' }
  const { headers, text } = signed(body)
  const other = { transaction_id: 't', decision: 'REJECT' }
  expect(connector().readReviewMessage(newCall(), { headers, text, body })).toMatchObject({
    decision: 'accept',
  })
  for (const message of [
    { headers: {}, text, body },
    { headers, text: JSON.stringify(other), body: other },
    signed(body, 'another'),
    signed(body, ''),
  ])
    expect(connector().readReviewMessage(newCall(), message)).toEqual({ status: 'forged' })
  // a service without a key signs nothing
  expect(connector().readReviewMessage(newCall({}), signed(body, ''))).toEqual({ status: 'forged' })
})

test('a review message with a decision is read, and any other is irrelevant', () => {
  expect(parsed({ transaction_id: 't', decision: 'ACCEPT', comment: 'known buyer' })).toEqual({
    status: 'decided',
    transactionId: 't',
    decision: 'accept',
    comment: 'known buyer',
  })
  expect(parsed({ transaction_id: 't', decision: 'REJECT' })).toMatchObject({
    decision: 'reject',
    comment: null,
  })
  for (const body of [
    {},
    { transaction_id: 1, decision: 'ACCEPT' },
    { transaction_id: 't', decision: 'accept' },
    { transaction_id: 't', decision: '__proto__' },
  ])
    expect(parsed(body)).toEqual({ status: 'irrelevant' })
})
