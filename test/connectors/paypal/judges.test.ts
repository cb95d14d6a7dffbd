import { describe, expect, test } from 'vitest'
import type { Call, OperationKind } from '../../../src/connectors/contract/call.ts'
import official from '../../contracts/judges/wallet/official.json' with { type: 'json' }
import prism from '../../contracts/judges/wallet/prism-requests.json' with { type: 'json' }
import webhooks from '../../contracts/judges/wallet/prism-webhooks.json' with { type: 'json' }
import { answered, openBench } from './bench.ts'

const ids = {
  payment_service_authorization_id: 'probe_auth_001',
  payment_service_capture_id: 'probe_cap_001',
}

/** The request of an operation of 10.00 USD, and what it came to. */
async function sendOperation(kind: OperationKind, respond = () => answered(404)) {
  const bench = await openBench(respond)
  const call: Call = {
    ...bench.call({ environment: 'sandbox' }),
    operation: {
      id: '01a20008-7d03-7085-bf8e-63e8acb22817',
      kind,
      amount: 1000,
      currency: 'USD',
      final: true,
      paymentReference: '5O190127TN364715T',
      identifiers: ids,
      committedReference: null,
      mark: null,
      sentBefore: false,
    },
    commitReference: async () => undefined,
    commitMark: async () => undefined,
    notices: async () => [],
  }
  const outcome = await bench.connector.operations[kind]?.(call)
  return { outcome, request: bench.requests.find(({ url }) => !url.endsWith('/oauth2/token')) }
}

describe('the request that another orchestrator sends for the same intent has the same fields:', () => {
  /** The fields that only Railyard sends, each with its reason. */
  const reasons: Readonly<Record<string, string>> = {
    invoice_id: 'the operation’s id, by which a look-up finds the capture or the refund in the order',
  }

  test.each([
    ['capture', 'capture/default'],
    ['refund', 'refund/default'],
    ['void', 'void/default'],
  ] as const)('%s', async (kind, id) => {
    const theirs = prism.cases.find((each) => each.id === id)?.request
    const { request } = await sendOperation(kind)
    expect(request).toMatchObject({
      method: theirs?.method,
      url: `https://${theirs?.host}${theirs?.path}`,
      headers: { prefer: theirs?.headers.prefer },
    })
    const { body = {} } = { body: request?.body as Record<string, unknown> | undefined }
    const shared = Object.entries(body).filter(([field]) => !(field in reasons))
    expect(Object.fromEntries(shared)).toEqual(theirs && 'body' in theirs ? theirs.body : {})
  })
})

/** The official examples, as far as they are read here. */
const examples: readonly {
  path: string
  responses?: Record<string, Record<string, Record<string, unknown>>>
}[] = JSON.parse(JSON.stringify(official.cases))

describe('an official example is read as an answer, and gives one outcome:', () => {
  const answers = examples.flatMap(({ path, responses = {} }) =>
    Object.entries(responses).flatMap(([status, named]) =>
      Object.entries(named).map(
        ([name, body]) => [`${path} ${status} ${name}`, Number(status), body] as const,
      ),
    ),
  )
  test.each(answers)('%s', async (_name, status, body) => {
    for (const kind of ['authorize', 'sale', 'capture', 'void', 'refund'] as const) {
      const { outcome } = await sendOperation(kind, () => answered(status, body))
      // no example is about our order
      expect(outcome).toMatchObject({ status: 'unknown' })
    }
  })
})

test('a webhook that another orchestrator receives is about the same payment', async () => {
  const { read, notify } = await openBench()
  const { payment_succeeded, refund_succeeded } = webhooks.payloads
  const told = (event: { grpc_req: { request_details: { body: object } } }) =>
    read(notify(event.grpc_req.request_details.body))
  expect(await told(payment_succeeded)).toEqual([{ about: 'payment', payment: '5O190127TN364715T' }])
  // its example of a refund names no order: the refund is looked up in time without it
  expect(await told(refund_succeeded)).toEqual([{ about: 'nothing' }])
})
