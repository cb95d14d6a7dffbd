import { expect, test } from 'vitest'
import type { HttpAnswer, HttpRequest } from './http-message.ts'
import { recordExchanges } from './record-exchanges.ts'

const request = { method: 'GET', url: 'http://provider.test/payments' } as const

/** What is kept of a request and its answer. */
async function kept(asked: HttpRequest, answer: HttpAnswer) {
  const recorded = recordExchanges(
    { request: async () => answer },
    { now: () => 0 },
    { next: () => 'exchange-1' },
    (value) => value,
  )
  expect(await recorded.request(asked)).toBe(answer)
  return recorded.exchanges[0]
}

const listed: HttpAnswer = { lost: false, status: 200, headers: {}, body: { list: [{ name: 'Ada' }] } }

test('an exchange keeps the answer’s body', async () => {
  expect(await kept(request, listed)).toMatchObject({ status: 200, response: listed.lost || listed.body })
})

test('an exchange of which the metadata only is recorded keeps no body', async () => {
  const exchange = await kept({ ...request, record: 'metadata only' }, listed)
  expect(exchange).toMatchObject({ method: 'GET', url: request.url, status: 200 })
  expect(JSON.stringify(exchange)).not.toContain('Ada')
})

test('an exchange of which the metadata only is recorded keeps why its answer was lost', async () => {
  const lost: HttpAnswer = { lost: true, sent: true, reason: 'no answer in time' }
  expect(await kept({ ...request, record: 'metadata only' }, lost)).toMatchObject({
    status: null,
    response: { lost: 'no answer in time' },
  })
})
