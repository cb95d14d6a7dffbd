import { describe, expect, test } from 'vitest'
import { callFor, operationFor, paymentFor, purchase } from '../../../test/support/domains/connector-call.ts'
import type { OperationKind } from '../contract/call.ts'
import type { Connector } from '../contract/connector.ts'
import { LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import { bnpl } from './connector.ts'

const connector = bnpl(undefined)

const ok = (
  status: number,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): HttpAnswer => ({
  lost: false,
  status,
  headers,
  body,
})

interface ScriptedCall {
  kind: OperationKind
  answers: HttpAnswer[]
  sentBefore?: boolean
  committedReference?: string | null
  fields?: Record<string, string>
  by?: Connector
}

/** A call with these answers in order, the requests that it sends, and the references that it commits. */
function scriptedCall({
  kind,
  answers,
  sentBefore = false,
  committedReference = null,
  fields = {},
  by = connector,
}: ScriptedCall) {
  const sent: HttpRequest[] = []
  const committed: string[] = []
  const left = [...answers]
  const call = callFor({
    async http(request) {
      sent.push(request)
      return left.shift() ?? { lost: true, sent: true, reason: 'no more answers' }
    },
    committed,
    fields: { username: 'user', password: 'secret', environment: 'sandbox', ...fields },
    operation: operationFor({
      id: 'op-1',
      kind,
      amount: 500,
      paymentReference: 'order-1',
      committedReference,
      sentBefore,
    }),
    payment: paymentFor({
      instrument: { approvalToken: 'token-1' },
      order: { ...purchase({ country: 'DE', reference: 'ref' }), integrationClient: 'web' },
    }),
  })
  return { sent, committed, outcome: () => by.operations[kind]?.(call), find: () => by.find(call) }
}

const order = (more: Record<string, unknown> = {}) =>
  ok(200, {
    order_id: 'order-1',
    status: 'AUTHORIZED',
    fraud_status: 'ACCEPTED',
    order_amount: 500,
    captured_amount: 0,
    remaining_authorized_amount: 500,
    purchase_currency: 'EUR',
    merchant_reference2: 'op-1',
    captures: [],
    refunds: [],
    ...more,
  })
const placed = ok(200, { order_id: 'order-1', fraud_status: 'ACCEPTED' })
const done = ok(201, {}, { 'capture-id': 'cap-1' })

test.each([
  ['sandbox', undefined, 'https://api.playground.klarna.com/'],
  ['sandbox', 'na', 'https://api-na.playground.klarna.com/'],
  ['sandbox', 'oc', 'https://api-oc.playground.klarna.com/'],
  ['production', 'eu', 'https://api.klarna.com/'],
  ['production', 'na', 'https://api-na.klarna.com/'],
])('the environment %s in the region %s is at %s', async (environment, region, base) => {
  const { sent, outcome } = scriptedCall({
    kind: 'void',
    answers: [],
    fields: { environment, ...(region && { region }) },
  })
  await outcome()
  expect(sent[0]?.url).toMatch(new RegExp(`^${base.replaceAll('.', '\\.')}`))
  expect(sent[0]?.headers).toEqual({
    authorization: `Basic ${btoa('user:secret')}`,
    'Klarna-Idempotency-Key': 'op-1',
  })
})

test.each(['simulator', 'elsewhere'])('sends nothing if there is no environment %s', async (environment) => {
  const { sent, outcome } = scriptedCall({ kind: 'void', answers: [], fields: { environment } })
  expect(await outcome()).toMatchObject({ status: 'failed', code: 'service_network_error' })
  expect(sent).toEqual([])
})

test('sends nothing with live credentials in the sandbox, also for a service that was configured before they were refused', async () => {
  const { sent, outcome } = scriptedCall({
    kind: 'void',
    answers: [],
    fields: { environment: 'production' },
    by: bnpl('http://127.0.0.1:9/bnpl'),
  })
  expect(await outcome()).toMatchObject({
    status: 'failed',
    unprocessed: true,
    facts: { raw_response_description: LIVE_CREDENTIALS_MESSAGE },
  })
  expect(sent).toEqual([])
})

describe('the outcome is unknown', () => {
  test.each<[string, OperationKind, HttpAnswer[]]>([
    ['an order that names no id', 'authorize', [ok(200, { fraud_status: 'ACCEPTED' })]],
    ['an order that cannot be read', 'authorize', [placed]],
    ['an order of another request', 'authorize', [placed, order({ merchant_reference2: 'op-2' })]],
    ['an order of another currency', 'authorize', [placed, order({ purchase_currency: 'USD' })]],
    ['a look that shows another order', 'authorize', [placed, order({ order_id: 'order-2' })]],
    ['a 500', 'sale', [ok(500, { error_code: 'INTERNAL_SERVER_ERROR' })]],
    ['a 503', 'capture', [ok(503, { error_code: 'TEMPORARILY_UNAVAILABLE' })]],
    ['a conflict with a request under way', 'capture', [ok(409, { error_code: 'CONFLICT' })]],
    ['a capture that the order does not show', 'capture', [done, order()]],
    [
      'a capture of another operation',
      'capture',
      [
        done,
        order({ captures: [{ capture_id: 'c', captured_amount: 500, reference: 'op-2', captured_at: 'x' }] }),
      ],
    ],
    [
      'a refund without an amount',
      'refund',
      [done, order({ refunds: [{ refund_id: 'r', reference: 'op-1', refunded_at: 'x' }] })],
    ],
    ['a success of the wrong kind', 'capture', [ok(200)]],
    ['a void that the order does not show', 'void', [ok(204), order()]],
    ['an answer under another key', 'capture', [ok(201, {}, { 'klarna-idempotency-key': 'op-2' })]],
    [
      'a refusal under another key',
      'authorize',
      [ok(403, { error_code: 'REJECTED' }, { 'klarna-idempotency-key': 'op-2' })],
    ],
  ])('after %s (%s)', async (_what, kind, answers) => {
    expect(await scriptedCall({ kind, answers }).outcome()).toMatchObject({ status: 'unknown' })
  })

  test('after a spent token that an earlier request of ours may have spent', async () => {
    const answers = [
      ok(403, { error_code: 'INVALID_OPERATION', error_messages: ['Authorization token already consumed'] }),
    ]
    expect(await scriptedCall({ kind: 'authorize', answers, sentBefore: true }).outcome()).toMatchObject({
      status: 'unknown',
    })
    expect(await scriptedCall({ kind: 'authorize', answers }).outcome()).toMatchObject({
      status: 'failed',
      code: 'duplicate_transaction',
    })
  })

  test.each<[string, number, Record<string, unknown>, string]>([
    [
      'a session that is completed',
      404,
      { error_code: 'SESSION_COMPLETED', error_messages: ['Session already completed'] },
      'invalid_payment_method',
    ],
    [
      'an order with another body',
      409,
      { error_code: 'BAD_VALUE', error_messages: ['already completed with different request body'] },
      'service_resource_conflict',
    ],
    ['a bad request', 400, { error_code: 'BAD_VALUE' }, 'invalid_request_parameters'],
    ['a rejection', 403, { error_code: 'REJECTED' }, 'issuer_decline'],
    ['too many requests, with a reason', 429, { reason: 'RATE_LIMITED' }, 'service_rate_limit'],
  ])(
    'after %s if an earlier request may have placed the order, and final if none was sent',
    async (_what, status, body, code) => {
      const answers = [ok(status, body)]
      expect(await scriptedCall({ kind: 'sale', answers, sentBefore: true }).outcome()).toMatchObject({
        status: 'unknown',
      })
      expect(await scriptedCall({ kind: 'sale', answers }).outcome()).toMatchObject({ code })
    },
  )

  test.each([401, 429])('after no %i: the provider has not read the request', async (status) => {
    const answers = [ok(status)]
    expect(await scriptedCall({ kind: 'sale', answers, sentBefore: true }).outcome()).toMatchObject({
      status: 'failed',
      unprocessed: true,
    })
  })
})

describe('an order whose answer came, and which could not be read then,', () => {
  test.each<OperationKind>(['authorize', 'sale'])(
    'is found by its id, and not placed again (%s)',
    async (kind) => {
      const placing = scriptedCall({ kind, answers: [placed] })
      expect(await placing.outcome()).toMatchObject({ status: 'unknown' })
      expect(placing.committed).toEqual(['order-1'])
      const finding = scriptedCall({
        kind,
        answers: [order({ status: 'CAPTURED', captured_amount: 500 })],
        committedReference: 'order-1',
      })
      expect(await finding.find()).toMatchObject({
        status: 'found',
        outcome: { status: 'approved', amount: 500, references: { transaction: 'order-1' } },
      })
      expect(finding.sent).toMatchObject([{ method: 'GET' }])
    },
  )

  test('is sent again if the answer named the order of another request', async () => {
    const answers = [order({ merchant_reference2: 'op-2' })]
    const { find } = scriptedCall({ kind: 'authorize', answers, committedReference: 'order-1' })
    expect(await find()).toEqual({ status: 'absent' })
  })

  test('is not absent while it cannot be read', async () => {
    const { find } = scriptedCall({ kind: 'authorize', answers: [], committedReference: 'order-1' })
    expect(await find()).toEqual({ status: 'unsure' })
  })
})

test.each<[string, OperationKind, HttpAnswer[], object]>([
  [
    'an accepted order',
    'authorize',
    [placed, order()],
    { status: 'approved', amount: 500, references: { transaction: 'order-1' } },
  ],
  [
    'the amount that the provider states',
    'authorize',
    [placed, order({ order_amount: 400 })],
    { status: 'approved', amount: 400 },
  ],
  [
    'a rejected order',
    'authorize',
    [placed, order({ fraud_status: 'REJECTED' })],
    { status: 'declined', code: 'suspected_fraud' },
  ],
  [
    'an order that was cancelled at the provider',
    'authorize',
    [placed, order({ status: 'CANCELLED' })],
    { status: 'failed', code: 'canceled' },
  ],
  ['a sale that is not captured yet', 'sale', [placed, order()], { status: 'pending' }],
  [
    'an order that expired before its risk was decided',
    'authorize',
    [placed, order({ status: 'EXPIRED', fraud_status: 'PENDING' })],
    { status: 'declined', code: 'expired_authorization', references: { transaction: 'order-1' } },
  ],
  [
    'a sale that expired before it was captured',
    'sale',
    [placed, order({ status: 'EXPIRED' })],
    { status: 'declined', code: 'expired_authorization', references: { transaction: 'order-1' } },
  ],
  [
    'a sale that expired after a part was captured',
    'sale',
    [placed, order({ status: 'EXPIRED', captured_amount: 200 })],
    { status: 'pending' },
  ],
  [
    'an accepted capture without a time',
    'capture',
    [done, order({ captures: [{ capture_id: 'c', captured_amount: 500, reference: 'op-1' }] })],
    { status: 'pending' },
  ],
  [
    'a plain rejection',
    'authorize',
    [ok(403, { error_code: 'REJECTED' })],
    { status: 'declined', code: 'issuer_decline' },
  ],
  [
    'a rejection for fraud',
    'authorize',
    [ok(403, { error_code: 'REJECTED', fraud_status: 'REJECTED' })],
    { status: 'declined', code: 'suspected_fraud' },
  ],
  [
    'an unknown word',
    'authorize',
    [ok(403, { error_code: 'NEW', reason: 'toString' })],
    { status: 'declined', code: 'service_decline' },
  ],
  [
    'too many requests',
    'refund',
    [ok(429, { error_code: 'TOO_MANY_REQUESTS' })],
    { status: 'failed', code: 'service_rate_limit' },
  ],
])('%s (%s) is read as its meaning', async (_what, kind, answers, expected) => {
  expect(await scriptedCall({ kind, answers }).outcome()).toMatchObject(expected)
})
