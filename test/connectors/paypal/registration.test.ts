import { expect, test } from 'vitest'
import { openHarness } from '../../../src/connector-kit/harness.ts'
import type { ServiceCall } from '../../../src/connectors/contract/call.ts'
import { wallet } from '../../../src/connectors/wallet-wallet/connector.ts'
import { contract } from '../../contracts/contract.ts'
import { simulatedWallet, simulatorUrl } from '../redirect-simulators.ts'
import { answered, openBench } from './bench.ts'

const connector = wallet({ sandboxUrl: simulatorUrl, clock: { now: () => 0 } })

/** Holds the requests about webhooks, and their answers, to PayPal's contract. */
function checked(call: ServiceCall, violations: string[]): ServiceCall {
  const { knows, request, response } = contract('wallet-webhooks')
  return {
    ...call,
    http: async (sent) => {
      const answer = await call.http(sent)
      const { method, body } = sent
      const path = new URL(sent.url).pathname.split('/').slice(3).join('/')
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const message = { method, path: `/${path}`, headers, body }
      if (knows(method, message.path) && !answer.lost)
        violations.push(...request(message), ...response({ ...message, ...answer }))
      return answer
    },
  }
}

test('registers the notification URL, and finds its webhook when it is registered again', async () => {
  const harness = openHarness(connector, simulatedWallet)
  const violations: string[] = []
  const call = checked(harness.serviceCall(), violations)
  const first = await connector.registerNotifications?.(call)
  expect(first).toEqual({ status: 'registered', fields: { webhook_id: expect.stringMatching(/^\w{10,}$/) } })
  expect(await connector.registerNotifications?.(call)).toEqual(first)
  expect(violations).toEqual([])
})

const taken = answered(400, { name: 'WEBHOOK_URL_ALREADY_EXISTS', message: 'm', debug_id: 'd' })

test.each([
  ['is refused', answered(401, { name: 'AUTHENTICATION_FAILURE' }), 'refused'],
  ['is not answered', { lost: true, sent: true, reason: 'no answer in time' } as const, 'unknown'],
  ['gets a 500', answered(500), 'unknown'],
  [
    'gets another webhook',
    answered(201, { id: '1', url: 'https://other.example', event_types: [] }),
    'unknown',
  ],
  ['is taken, and PayPal does not say by which webhook', taken, 'refused'],
])('a registration that %s tells so', async (_name, answer, status) => {
  const bench = await openBench(({ method }) => (method === 'GET' ? answered(200, { webhooks: [] }) : answer))
  expect(await bench.connector.registerNotifications?.(bench.call())).toMatchObject({ status })
})

test('asks for every event that Railyard reads', async () => {
  const bench = await openBench(() => answered(500))
  await bench.connector.registerNotifications?.(bench.call())
  expect(bench.requests.at(-1)?.body).toMatchObject({
    url: 'https://railyard.example/notifications/shop/1/token',
    event_types: expect.arrayContaining([
      { name: 'CHECKOUT.ORDER.APPROVED' },
      { name: 'CUSTOMER.DISPUTE.CREATED' },
      { name: 'PAYMENT.CAPTURE.REFUNDED' },
    ]),
  })
})
