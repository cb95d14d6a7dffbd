import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { contract } from '../../contracts/contract.ts'
import { answered, openBench } from './bench.ts'

const { schema } = contract('wallet-disputes')

const OPERATION = '01a20008-7d03-7085-bf8e-63e8acb22817'

const dispute = (more: object = {}) => ({
  dispute_id: 'PP-D-27803',
  create_time: '2026-03-01T08:00:00.000Z',
  update_time: '2026-03-02T09:00:00.000Z',
  disputed_transactions: [{ seller_transaction_id: '3BC38643YC807283D', custom: OPERATION }],
  reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  dispute_amount: { currency_code: 'EUR', value: '12.50' },
  dispute_life_cycle_stage: 'CHARGEBACK',
  seller_response_due_date: '2026-03-12T09:00:00.000Z',
  ...more,
})

/** What Railyard is told by a notification about this dispute, which must be of the contract's form. */
async function told(resource: object, respond?: (request: HttpRequest) => ReturnType<typeof answered>) {
  expect(schema('dispute', resource)).toEqual([])
  const { read, notify } = await openBench(respond)
  return read(notify({ event_type: 'CUSTOMER.DISPUTE.UPDATED', resource_type: 'dispute', resource }))
}

const notice = (more: object) => ({ about: 'dispute', dispute: expect.objectContaining(more) })

test('a dispute is told with its payment, amount, reason and deadline', async () => {
  expect(await told(dispute({ external_reason_code: '13.1' }))).toEqual([
    {
      about: 'dispute',
      dispute: {
        id: 'PP-D-27803',
        payment: OPERATION,
        status: 'needs_response',
        amount: 1250,
        currency: 'EUR',
        funds: null,
        reasonCode: '13.1',
        reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
        evidenceDueAt: '2026-03-12T09:00:00.000Z',
        occurredAt: '2026-03-02T09:00:00.000Z',
      },
    },
  ])
})

const resolved = (outcome_code: string) => ({ status: 'RESOLVED', dispute_outcome: { outcome_code } })
test.each([
  [{ dispute_life_cycle_stage: 'INQUIRY' }, 'inquiry'],
  [{ status: 'OPEN' }, 'needs_response'],
  [{ status: 'OPEN', seller_response_due_date: undefined }, 'under_review'],
  [{ status: 'WAITING_FOR_BUYER_RESPONSE' }, 'under_review'],
  [{ status: 'UNDER_REVIEW' }, 'under_review'],
  [{ status: 'UNDER_REVIEW', dispute_life_cycle_stage: 'PRE_ARBITRATION' }, 'under_review'],
  [{ status: 'OTHER' }, 'under_review'],
  [resolved('RESOLVED_BUYER_FAVOUR'), 'lost'],
  [resolved('RESOLVED_SELLER_FAVOUR'), 'won'],
  [resolved('RESOLVED_WITH_PAYOUT'), 'won'],
  [resolved('CANCELED_BY_BUYER'), 'closed'],
  [resolved('ACCEPTED'), 'lost'],
  [resolved('DENIED'), 'won'],
  [resolved('NONE'), 'closed'],
])('a dispute with %j is %s', async (more, status) => {
  const resource = JSON.parse(JSON.stringify(dispute(more)))
  expect(await told(resource)).toEqual([notice({ status })])
})

describe('the money of a dispute', () => {
  const movement = (type: string, value: string, initiated_time: string, reason = 'DISPUTE_SETTLEMENT') => ({
    affected_party: 'SELLER',
    type,
    reason,
    initiated_time,
    amount: { currency_code: 'EUR', value },
  })
  const [first, second, third] = ['2026-03-02T01:00:00Z', '2026-03-02T02:00:00Z', '2026-03-02T03:00:00Z']

  test('is what PayPal took of the seller, without its fees', async () => {
    const money_movements = [
      movement('DEBIT', '12.50', first),
      movement('DEBIT', '20.00', second, 'CHARGEBACK_FEE'),
      { ...movement('CREDIT', '12.50', second), affected_party: 'BUYER' },
    ]
    expect(await told(dispute({ money_movements }))).toEqual([notice({ funds: 'withdrawn', amount: 1250 })])
  })

  test('that was taken in parts and given back is told in order', async () => {
    const money_movements = [
      movement('CREDIT', '12.50', third),
      movement('DEBIT', '10.00', first),
      movement('DEBIT', '2.50', second),
    ]
    expect(await told(dispute({ ...resolved('RESOLVED_SELLER_FAVOUR'), money_movements }))).toEqual([
      notice({ funds: 'withdrawn', amount: 1250, occurredAt: '2026-03-02T02:00:00.000Z' }),
      notice({ status: 'won', funds: 'returned', amount: 1250, occurredAt: '2026-03-02T09:00:00.000Z' }),
    ])
  })

  test('decides a dispute that was resolved with an outcome that Railyard does not know', async () => {
    const money_movements = [movement('DEBIT', '12.50', first)]
    expect(await told(dispute({ ...resolved('NONE'), money_movements }))).toEqual([
      notice({ status: 'lost' }),
    ])
  })

  test('in a currency without decimals is told in whole units', async () => {
    const dispute_amount = { currency_code: 'JPY', value: '1250' }
    expect(await told(dispute({ dispute_amount }))).toEqual([notice({ amount: 1250, currency: 'JPY' })])
  })
})

describe('the payment of a dispute', () => {
  test('is found by the invoice id of its capture', async () => {
    const disputed_transactions = [
      { seller_transaction_id: '3BC38643YC807283D', custom: 'x', invoice_number: OPERATION },
    ]
    expect(await told(dispute({ disputed_transactions }))).toEqual([notice({ payment: OPERATION })])
  })

  const disputed_transactions = [{ seller_transaction_id: '3BC38643YC807283D' }]

  test('is found by the order of its capture', async () => {
    const capture = {
      id: '3BC38643YC807283D',
      status: 'COMPLETED',
      supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } },
    }
    const respond = ({ url }: HttpRequest) =>
      url === 'https://api-m.paypal.com/v2/payments/captures/3BC38643YC807283D'
        ? answered(200, capture)
        : answered(404)
    expect(await told(dispute({ disputed_transactions }), respond)).toEqual([
      notice({ payment: '5O190127TN364715T' }),
    ])
  })

  test('that was not made by Railyard is told by PayPal’s id', async () => {
    expect(await told(dispute({ disputed_transactions }))).toEqual([notice({ payment: '3BC38643YC807283D' })])
  })
})

test('a dispute that cannot be read is about nothing', async () => {
  const { read, notify } = await openBench()
  for (const resource of [
    {},
    { ...dispute(), dispute_amount: { currency_code: 'EUR', value: 'much' } },
    null,
  ])
    expect(await read(notify({ event_type: 'CUSTOMER.DISPUTE.CREATED', resource }))).toEqual([
      { about: 'nothing' },
    ])
})

describe('an answer to a dispute', () => {
  const evidence = {
    key: '01a20008-7d03-7085-8f8e-63e8acb22817',
    dispute: 'PP-D-27803',
    text: { PROOF_OF_FULFILLMENT: 'Delivered on 1 March' },
    files: [
      {
        subject: 'PROOF_OF_FULFILLMENT',
        name: 'label.pdf',
        type: 'application/pdf',
        content: Buffer.from('%PDF'),
      },
    ],
  }
  const refusal = answered(400, { name: 'INVALID_REQUEST', details: [{ issue: 'NOT_ALLOWED' }] })

  test('sends the evidence and its files at once', async () => {
    const { connector, call, requests } = await openBench(() => answered(200, { links: [] }))
    expect(await connector.disputes?.submitEvidence(call(), evidence)).toEqual({ status: 'done' })
    const [input, file] = requests.at(-1)?.parts ?? []
    expect(requests.at(-1)?.url).toBe(
      'https://api-m.paypal.com/v1/customer/disputes/PP-D-27803/provide-evidence',
    )
    expect(JSON.parse(String(input?.content))).toEqual({
      evidences: [
        {
          evidence_type: 'PROOF_OF_FULFILLMENT',
          notes: 'Delivered on 1 March',
          documents: [{ name: 'label.pdf' }],
        },
      ],
    })
    expect(file).toMatchObject({
      name: 'evidence-file',
      file: { name: 'label.pdf', type: 'application/pdf' },
    })
  })

  test('about a subject that PayPal does not have is refused without a request', async () => {
    const { connector, call, requests } = await openBench()
    expect(await connector.disputes?.submitEvidence(call(), { ...evidence, text: { receipt: 'x' } })).toEqual(
      {
        status: 'refused',
        reason: 'PayPal takes no receipt',
      },
    )
    expect(requests).toEqual([])
  })

  const submitted = dispute({
    status: 'UNDER_REVIEW',
    evidences: [
      {
        evidence_type: 'PROOF_OF_FULFILLMENT',
        notes: 'Delivered on 1 March',
        source: 'SUBMITTED_BY_SELLER',
      },
    ],
  })
  test.each([
    ['is done, if the dispute has it', submitted, 'done'],
    ['is refused, if PayPal still waits for one', dispute(), 'refused'],
    ['is refused, if the dispute went on without it', dispute({ status: 'UNDER_REVIEW' }), 'refused'],
  ])('that was refused %s', async (_name, resource, status) => {
    const { connector, call } = await openBench(({ method }) =>
      method === 'GET' ? answered(200, resource) : refusal,
    )
    expect(await connector.disputes?.submitEvidence(call(), evidence)).toMatchObject({ status })
  })

  test.each([
    ['gets no answer', { lost: true, sent: true, reason: 'no answer in time' } as const],
    ['gets a 500', answered(500)],
    ['gets a 429', answered(429)],
    ['gets a conflict', answered(409)],
  ])('that %s is not known', async (_name, answer) => {
    const { connector, call } = await openBench(() => answer)
    const { key, dispute: id } = evidence
    expect(await connector.disputes?.submitEvidence(call(), evidence)).toMatchObject({ status: 'unknown' })
    expect(await connector.disputes?.accept(call(), { key, id })).toMatchObject({ status: 'unknown' })
  })

  test('that gives up is sent as the contract says, and is done if it was done before', async () => {
    const bench = await openBench(() => answered(200, {}))
    const { key, dispute: id } = evidence
    expect(await bench.connector.disputes?.accept(bench.call(), { key, id })).toEqual({ status: 'done' })
    const { method = '', url = '', body } = bench.requests.at(-1) ?? {}
    const headers = { 'content-type': 'application/json' }
    expect(
      contract('wallet-disputes').request({ method, path: new URL(url).pathname, headers, body }),
    ).toEqual([])
    const again = await openBench(({ method: asked }) =>
      asked === 'GET' ? answered(200, dispute(resolved('RESOLVED_BUYER_FAVOUR'))) : refusal,
    )
    expect(await again.connector.disputes?.accept(again.call(), { key, id })).toEqual({ status: 'done' })
  })
})
