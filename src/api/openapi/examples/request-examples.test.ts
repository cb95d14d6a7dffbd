import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentedOperation, exampleSender } from '../../../../test/support/checks/send-examples.ts'
import { startWithoutReportRounds } from '../../../../test/support/domains/reports.ts'
import type { Answer, TestRailyard } from '../../../../test/support/railyard.ts'
import { placeholders, placeholdersIn } from './placeholders.ts'
import { exampleGroups, requestExamples } from './request-examples.ts'

type Examples = Record<string, { summary: string; value: unknown }>
interface Operation {
  operationId: string
  'x-scopes': string[]
  requestBody?: { description?: string; content: Record<string, { examples?: Examples }> }
}

let railyard: TestRailyard
let operations: (DocumentedOperation & { requestBody: Operation['requestBody'] | undefined })[]
let send: (operationId: string) => Promise<Answer>
beforeAll(async () => {
  railyard = await startWithoutReportRounds()
  const { paths } = (await railyard.send('GET', '/openapi.json')).body
  operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, requestBody, 'x-scopes': scopes }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      scopes,
      requestBody,
    })),
  )
  send = exampleSender(railyard, operations)
})
afterAll(() => railyard.close())

test('every operation with a body has one example, in each of its content types, and no other has one', () => {
  const withBody = operations.filter(({ requestBody }) => requestBody)
  expect(exampleGroups.flatMap((group) => Object.keys(group)).toSorted()).toEqual(
    withBody.map(({ operationId }) => operationId).toSorted(),
  )
  const lacking = withBody.filter(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).some(({ examples }) => !examples?.[operationId]),
  )
  expect(lacking.map(({ operationId }) => operationId)).toEqual([])
})

test('the document has each example with its summary, what it needs and what its placeholders are', () => {
  for (const { operationId, requestBody } of operations) {
    const example = requestExamples[operationId]
    if (!example) continue
    expect(example.summary).toMatch(/^[A-Z].{3,70}[^.]$/)
    const { description, content } = requestBody ?? {}
    expect(content?.['application/json']?.examples).toEqual({
      [operationId]: { summary: example.summary, value: example.body },
    })
    expect(description).toContain(`Example: ${example.summary}.`)
    expect(description).toContain(example.needs ? `It needs ${example.needs}.` : '')
    for (const name of placeholdersIn(example.body))
      expect(description).toContain(`\`{${name}}\` is ${placeholders[name]}.`)
  }
})

test('each placeholder is in an example, and each in an example says where its value is from', () => {
  const used = Object.values(requestExamples).flatMap(({ body }) => placeholdersIn(body))
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(placeholders).toSorted())
})

/** What the answer has where a refusal would be a 2xx too. */
const done: Record<string, object> = {
  create_transaction: { status: 'authorization_succeeded' },
  capture_transaction: { status: 'capture_succeeded' },
  increment_transaction_authorization: { status: 'succeeded' },
  create_transaction_refund: { status: 'succeeded' },
  create_full_transaction_refund: { items: [{ status: 'succeeded' }] },
  create_payout: { status: 'succeeded' },
  create_payment_service_session: { status: 'succeeded' },
  create_payment_service_definition_session: { status: 'succeeded' },
  list_gift_card_balances: { items: [{ balance: 5000, balance_error_code: null }] },
  update_apple_pay_certificate: { status: 'active' },
}

describe('in a new sandbox', () => {
  test.each(Object.keys(requestExamples))('the example of %s works as it is', async (operationId) => {
    const { status, body } = await send(operationId)
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    expect(body ?? {}).toMatchObject(done[operationId] ?? {})
  })
})
