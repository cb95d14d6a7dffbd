import { expect, test } from 'vitest'
import { acme } from '../../connectors/_template/connector.ts'
import { underTest } from '../../connectors/_template/fake.ts'
import type { ConnectorUnderTest } from '../../src/connector-kit/fake-provider.ts'
import { connectorChecks } from '../../src/connector-kit/suite.ts'
import type { Call } from '../../src/connectors/contract/call.ts'
import type { Connector } from '../../src/connectors/contract/connector.ts'
import type { Outcome } from '../../src/connectors/contract/outcome.ts'

const good = acme()

/** The names of the checks that fail. */
async function failing(connector: Connector, provider: ConnectorUnderTest = underTest): Promise<string[]> {
  const names = []
  for (const { name, run } of connectorChecks(connector, provider))
    if ((await run()).length > 0) names.push(name)
  return names
}

/** The template, whose operations see other answers or answer otherwise. */
const withOutcomes = (change: (outcome: Outcome, call: Call) => Outcome): Connector => ({
  ...good,
  operations: Object.fromEntries(
    Object.entries(good.operations).map(([kind, act]) => [
      kind,
      async (call: Call) => change(await act(call), call),
    ]),
  ),
})

const withRequests = (change: (call: Call) => Call): Connector => ({
  ...good,
  operations: Object.fromEntries(
    Object.entries(good.operations).map(([kind, act]) => [kind, (call: Call) => act(change(call))]),
  ),
})

const failed: Outcome = { status: 'failed', code: 'service_error', facts: {}, references: {} }
let keys = 0

let latest = ''
/** Reads the latest operation that was approved before it looks up its own, and keeps what it reads. */
const closeWithAnother = async (call: Call) => {
  await call.http({
    method: 'GET',
    url: `https://api.acme.example/v1/operations/${latest}`,
    headers: { authorization: `Bearer ${call.service.fields['api_key']}` },
  })
  return good.close?.(call) ?? ({ status: 'unsure' } as const)
}

const defects: readonly (readonly [string, Connector, string])[] = [
  [
    'takes a lost answer for a failure',
    withOutcomes((outcome) => (outcome.status === 'unknown' ? failed : outcome)),
    'authorize: the answer is lost',
  ],
  [
    'takes a 500 for a failure',
    withOutcomes((outcome) =>
      outcome.status === 'unknown' && outcome.reason === 'HTTP 500' ? failed : outcome,
    ),
    'capture: 500 after the effect',
  ],
  [
    'takes a conflict over the key for a failure',
    withOutcomes((outcome) =>
      outcome.status === 'unknown' && outcome.reason === 'HTTP 409' ? failed : outcome,
    ),
    'refund: 409 after the effect',
  ],
  [
    'believes that an answer without content is an approval',
    withOutcomes((outcome, { operation: { amount } }) =>
      outcome.status === 'unknown' && outcome.reason === 'HTTP 200'
        ? { status: 'approved', amount, facts: {}, references: {} }
        : outcome,
    ),
    'authorize: a proxy answers 200 before the effect',
  ],
  [
    'sends an operation again under another key',
    withRequests((call) => {
      keys += 1
      return { ...call, operation: { ...call.operation, id: `key-${keys}` } }
    }),
    'capture: the request arrives late',
  ],
  [
    'says that an authorization is absent without closing it',
    { ...good, close: good.find },
    'authorize: the request arrives late',
  ],
  [
    'says that everything is absent',
    { ...good, find: async () => ({ status: 'absent' }), close: async () => ({ status: 'absent' }) },
    'authorize: the process dies after the request',
  ],
  ['never finds out', { ...good, find: async () => ({ status: 'unsure' }) }, 'capture: the answer is lost'],
  [
    'throws',
    withOutcomes((outcome) => {
      if (outcome.status === 'unknown') throw new Error('unreadable')
      return outcome
    }),
    'sale: the answer is not JSON',
  ],
  [
    'loses the provider’s own code',
    withOutcomes((outcome) => ('facts' in outcome ? { ...outcome, facts: {} } : outcome)),
    'a decline keeps the provider’s own code, and moves nothing',
  ],
  [
    'multiplies the amounts of a currency without decimals',
    withRequests((call) =>
      call.operation.currency === 'JPY'
        ? { ...call, operation: { ...call.operation, amount: call.operation.amount * 100 } }
        : call,
    ),
    'an amount in JPY reaches the books unchanged',
  ],
  [
    'believes a notification without its signature',
    {
      ...good,
      readNotification: async (_, { body }) => ({ about: 'operation', operation: String(body['reference']) }),
    },
    'a changed notification is refused',
  ],
  [
    'challenges a buyer who is not there',
    withRequests((call) => ({
      ...call,
      ...(call.payment && { payment: { ...call.payment, canChallenge: true } }),
    })),
    'a challenge is a refusal where no buyer can be asked',
  ],
  [
    'puts its secret into the body of a request',
    {
      ...good,
      operations: {
        ...good.operations,
        async authorize(call) {
          await call.http({
            method: 'GET',
            url: `https://api.acme.example/v1/account?key=${call.service.fields['api_key']}`,
          })
          return good.operations.authorize?.(call) ?? failed
        },
      },
    },
    'recorded exchanges have no secret, card number or security code',
  ],
  [
    'keeps what the provider says of another payment',
    {
      ...withOutcomes((outcome, { operation }) => {
        if (outcome.status === 'approved') latest = operation.id
        return outcome
      }),
      close: closeWithAnother,
    },
    'recorded exchanges name no other payment: the answer is lost',
  ],
  [
    'says that it can do what it cannot',
    {
      ...good,
      definition: {
        ...good.definition,
        features: { ...good.definition.features, incremental_authorization: true },
      },
    },
    'the definition is consistent',
  ],
]

test('the template passes every check', async () => {
  expect(await failing(good)).toEqual([])
})

test.each(defects)('the suite finds a connector that %s', async (_what, connector, name) => {
  expect(await failing(connector)).toContain(name)
})

test('a check in `impossible` that passes is reported', async () => {
  const name = 'void: the answer is lost'
  expect(await failing(good, { ...underTest, impossible: { [name]: 'a wrong line' } })).toEqual([
    `${name} (impossible: a wrong line)`,
  ])
})

test('a name in `impossible` that no check has is reported', async () => {
  expect(await failing(good, { ...underTest, impossible: { 'no such check': 'a wrong line' } })).toEqual([
    'no such check',
  ])
})
