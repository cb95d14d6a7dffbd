import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { requestExamples } from './request-examples.ts'

interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}

let railyard: TestRailyard
let operations: { method: string; path: string; operation: Operation }[]
beforeAll(async () => {
  railyard = await startTestRailyard()
  const { paths } = (await railyard.send('GET', '/openapi.json')).body
  operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
})
afterAll(() => railyard.close())

/** What the path of an example names: the id of what another example has made. */
const madeBy: Record<string, string> = {
  buyer_id: 'add_buyer',
  payment_method_id: 'create_payment_method',
  session_id: 'create_checkout_session',
  subscription_id: 'create_webhook_subscription',
  payment_service_id: 'create_payment_service',
  merchant_account_id: 'create_merchant_account',
}
const refunds = ['create_transaction_refund', 'create_full_transaction_refund']

async function post(path: string, body: unknown): Promise<{ id: string }> {
  const { status, body: answer } = await railyard.admin.post(path, body)
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}

async function transactionFor(operation: string): Promise<string> {
  const { id } = await post('/transactions', requestExamples['create_transaction'])
  if (refunds.includes(operation)) await post(`/transactions/${id}/capture`, {})
  return id
}

const ids = new Map<string, string>()

async function idOf(parameter: string, operation: string): Promise<string> {
  if (parameter === 'transaction_id') return transactionFor(operation)
  if (parameter === 'flow') return 'card-transaction'
  const maker = madeBy[parameter] ?? ''
  const known = ids.get(maker)
  if (known) return known
  const route = operations.find(({ operation: { operationId } }) => operationId === maker)
  const { id } = await post(route?.path ?? '', requestExamples[maker])
  ids.set(maker, id)
  return id
}

test.each(Object.entries(requestExamples))(
  'the example of %s is in the document and works as it is',
  async (operationId, example) => {
    const route = operations.find(({ operation }) => operation.operationId === operationId)
    expect(route?.operation.requestBody?.content['application/json']?.example).toEqual(example)
    let path = route?.path ?? ''
    for (const [placeholder = '', parameter = ''] of path.matchAll(/\{(\w+)\}/g))
      path = path.replace(placeholder, await idOf(parameter, operationId))
    // another example has needed it, and it was sent for that
    if (ids.has(operationId)) return
    const { status, body } = await railyard.send(route?.method ?? '', path, {
      body: JSON.stringify(example),
      headers: { authorization: `Bearer ${railyard.admin.token}`, 'content-type': 'application/json' },
    })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    if (typeof body?.id === 'string') ids.set(operationId, body.id)
  },
)
