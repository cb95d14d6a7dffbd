import { expect, test } from 'vitest'
import type {
  OperationKind,
  PaymentContext,
  StoredCredential,
} from '../../../src/connectors/contract/call.ts'
import prism from '../../contracts/judges/checkout/prism-requests.json' with { type: 'json' }
import { purchase } from '../../support/domains/connector-call.ts'
import { lastBody, openBench } from './harness.ts'

const bought = (returnUrl: string): Pick<PaymentContext, 'purchase'> => ({
  purchase: async () =>
    purchase({
      returnUrls: {
        approved: `${returnUrl}?status=success`,
        cancelled: '',
        failed: `${returnUrl}?status=failure`,
      },
      buyer: {
        id: null,
        name: null,
        email: null,
        billing: { first_name: 'John', last_name: 'Doe' },
      },
    }),
})
const atHome = bought('https://example.com/return')

const card = { number: '4111111111111111', expirationDate: '03/30', securityCode: '737', scheme: 'visa' }
const walletToken = (source: 'apple-pay' | 'google-pay', eci: string) => ({
  networkToken: {
    number: '4111111111111111',
    expirationDate: '03/30',
    cryptogram: 'AAAAAA==',
    eci,
    scheme: 'visa',
    source,
  },
})
const agreement = (more: Partial<StoredCredential>): StoredCredential => ({
  initiator: 'customer',
  usage: 'first',
  reason: 'card_on_file',
  schemeTransactionId: null,
  transactionLinkId: null,
  ...more,
})
const stored = `src_${'a'.repeat(26)}`

/** The same intent, told to our connector. */
const intents: Readonly<Record<string, [OperationKind, number, Partial<PaymentContext>?]>> = {
  'authorize/ApplePayDecrypted': ['sale', 1000, { ...atHome, instrument: walletToken('apple-pay', '05') }],
  'authorize/Card': ['sale', 1000, { ...atHome, instrument: { card } }],
  'authorize/GooglePayDecrypted': ['sale', 1000, { ...atHome, instrument: walletToken('google-pay', '06') }],
  'capture/default': ['capture', 1000],
  'proxy_authorize/default': [
    'sale',
    1000,
    { ...atHome, instrument: { card: { ...card, securityCode: '123' } } },
  ],
  'proxy_setup_recurring/default': [
    'authorize',
    0,
    {
      instrument: { card: { ...card, securityCode: '123' } },
      storesInstrument: true,
      storedCredential: agreement({}),
    },
  ],
  'recurring_charge/default': [
    'sale',
    1000,
    {
      ...bought('https://example.com/recurring-return'),
      instrument: { serviceToken: stored },
      storedCredential: agreement({ initiator: 'merchant', usage: 'subsequent' }),
    },
  ],
  'refund/default': ['refund', 1000],
  'setup_recurring/default': [
    'authorize',
    0,
    {
      ...bought('https://example.com/mandate-return'),
      instrument: { card },
      storesInstrument: true,
      storedCredential: agreement({}),
    },
  ],
  'void/default': ['void', 1000],
}

/** Why a member of our request differs from theirs, or is in one of the two only; by its name anywhere. */
const reasons: Readonly<Record<string, string>> = {
  '3ds':
    'theirs asks for no 3-D Secure; ours asks if the cardholder can be challenged, and never of a merchant',
  account_holder: 'ours has the name on the card as `name`',
  billing_address: 'theirs sends an empty one',
  capture: 'a verification captures nothing: ours says so',
  expiry_month: 'the contract takes numbers',
  expiry_year: 'the contract takes numbers',
  failure_url: 'without a challenge no buyer comes back',
  id: 'the contract takes `src_` tokens only',
  metadata: 'ours has the transaction and the order',
  merchant_initiated: 'the default, which ours leaves out where nothing is stored',
  name: 'theirs has the name in `account_holder`',
  payment_type: 'the holder pays as usual; `Unscheduled` is of merchants',
  processing_channel_id:
    'the service of the test has one channel; the contract wants no channel with a capture',
  reference: 'ours is the id of the operation',
  store_for_future_use: 'it belongs to the source, and ours always says it',
  stored: 'ours says that the card is stored',
  success_url: 'without a challenge no buyer comes back',
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The names of the members that differ. */
function differences(ours: unknown, theirs: unknown, name = ''): string[] {
  if (!isObject(ours) || !isObject(theirs) || name === '3ds' || name === 'metadata') {
    const isSame = JSON.stringify(ours) === JSON.stringify(theirs)
    return isSame ? [] : [name]
  }
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((member) =>
    differences(ours[member], theirs[member], member),
  )
}

const seen = new Set<string>()

test.each(prism.cases.filter(({ id }) => intents[id]))(
  '$id is requested as another orchestrator does, or for a reason',
  async ({ id, request }) => {
    const [kind, amount, payment] = intents[id] ?? ['sale', 0]
    const bench = openBench()
    bench.fields['card_numbers'] = 'allow'
    await bench.run(kind, { amount, currency: 'USD', paymentReference: 'probe_connector_txn_001' }, payment)
    const sent = bench.fake.requests.at(-1)
    expect(sent).toMatchObject({ method: request.method, path: request.path })
    const theirs: unknown = 'body' in request ? request.body : {}
    const unexplained = differences(lastBody(bench), theirs).filter((name) => {
      seen.add(name)
      return reasons[name] === undefined
    })
    expect(unexplained).toEqual([])
  },
)

test('every other request of theirs is not ours', () => {
  const others = prism.cases.filter(({ id }) => !intents[id]).map(({ id }) => id)
  // bank debits are not offered; look-ups have no body, and are compared by the fake
  expect(others).toEqual(['authorize/Ach', 'get/default', 'refund_get/default'])
})

test('each reason is needed', () => {
  expect(Object.keys(reasons).filter((name) => !seen.has(name))).toEqual([])
})
