import { expect, test } from 'vitest'
import type { OperationKind, PaymentContext } from '../../../src/connectors/contract/call.ts'
import prism from '../../contracts/judges/adyen/prism-requests.json' with { type: 'json' }
import { purchase } from '../../support/domains/connector-call.ts'
import { type Bench, openBench } from './harness.ts'

const browser = {
  javascript_enabled: true,
  java_enabled: false,
  language: 'en-US',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: -480,
  user_agent: 'Mozilla/5.0 (probe-bot)',
  accept_header: 'application/json',
  ip_address: '1.2.3.4',
}
const bought = (returnUrl: string, more = {}) => ({
  purchase: async () =>
    purchase({ browser, returnUrls: { approved: returnUrl, cancelled: '', failed: '' }, ...more }),
})
const card = { number: '4111111111111111', expirationDate: '03/30', securityCode: '737', scheme: 'visa' }
const walletToken = (source: 'apple-pay' | 'google-pay') => ({
  networkToken: {
    number: '4111111111111111',
    expirationDate: '03/30',
    cryptogram: 'AAAAAA==',
    eci: '05',
    scheme: 'visa',
    source,
  },
})
const atHome = bought('https://example.com/return')

/** The same intent, told to our connector. */
const intents: Readonly<Record<string, [kind: OperationKind, payment?: Partial<PaymentContext>]>> = {
  'authorize/Card': ['sale', { ...atHome, instrument: { card } }],
  'authorize/ApplePayDecrypted': ['sale', { ...atHome, instrument: walletToken('apple-pay') }],
  'authorize/GooglePayDecrypted': ['sale', { ...atHome, instrument: walletToken('google-pay') }],
  'proxy_authorize/default': ['sale', { ...atHome, instrument: { card: { ...card, securityCode: '123' } } }],
  'setup_recurring/default': [
    'authorize',
    {
      ...bought('https://example.com/mandate-return', {
        buyer: { id: 'cust_probe_123', name: null, email: null, billing: null },
      }),
      instrument: { card },
      storesInstrument: true,
      storedCredential: {
        initiator: 'customer',
        usage: 'first',
        reason: 'card_on_file',
        schemeTransactionId: null,
        transactionLinkId: null,
      },
    },
  ],
  'token_authorize/default': [
    'sale',
    { ...atHome, instrument: { serviceToken: 'cust_probe_123/pm_1AbcXyzStripeTestToken' } },
  ],
  'recurring_charge/default': [
    'sale',
    {
      ...bought('https://example.com/recurring-return', { browser: null }),
      instrument: { serviceToken: 'cust_probe_123/probe-mandate-123' },
      storedCredential: {
        initiator: 'merchant',
        usage: 'subsequent',
        reason: 'card_on_file',
        schemeTransactionId: null,
        transactionLinkId: null,
      },
    },
  ],
  'capture/default': ['capture'],
  'refund/default': ['refund'],
  'void/default': ['void'],
  'incremental_authorization/default': ['increment'],
}

/** Where our request differs, and why; `*` is for every case. */
const reasons: Readonly<Record<string, string>> = {
  '* additionalData/executeThreeD': 'a flag of the older 3-D Secure integration',
  '* additionalData/manualCapture': 'the account may capture by itself, so that each request says it',
  '* authenticationData/threeDSRequestData/nativeThreeDS':
    'a challenge by redirect, unless the page says where it is',
  '* browserInfo/javaScriptEnabled': 'the browser says it, and 3-D Secure wants it',
  '* captureDelayHours': 'a sale is captured at once, whatever the account is set to',
  '* channel': 'required for 3-D Secure in a browser',
  '* merchantOrderReference': 'the merchant’s own reference, beside ours',
  '* paymentMethod/holderName': 'there it is a null, which this API version does not have',
  '* redirectFromIssuerMethod': 'the cardholder comes back with parameters in the URL',
  '* redirectToIssuerMethod': 'the cardholder is sent there by a link',
  '* shopperName': 'there it is empty; here it is left out',
  'authorize/ApplePayDecrypted browserInfo': 'there the browser is not told for this wallet',
  'authorize/ApplePayDecrypted paymentMethod/brand':
    'the wallet, as the documentation of decrypted tokens says',
  'authorize/ApplePayDecrypted shopperIP': 'there the browser is not told for this wallet',
  'recurring_charge/default paymentMethod/type': 'there a wallet is charged, here a card',
  'recurring_charge/default reference': 'there it is empty',
  'refund/default merchantRefundReason': 'its value there is none of this API version',
  'setup_recurring/default recurringProcessingModel': 'the buyer stores the card for payments of their own',
  'setup_recurring/default shopperReference': 'there it has a prefix',
  'token_authorize/default browserInfo': 'there the browser is not told',
  'token_authorize/default shopperIP': 'there the browser is not told',
  'token_authorize/default shopperReference': 'a stored card is charged together with its shopper',
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of a body by their paths; an empty object is a member, too. */
const flat = (value: unknown, at = ''): [string, unknown][] =>
  isMap(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, inner]) => flat(inner, at === '' ? name : `${at}/${name}`))
    : [[at, value]]

const hasReason = (id: string, path: string): boolean => {
  const parts = path.split('/')
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  return prefixes.some((prefix) => `* ${prefix}` in reasons || `${id} ${prefix}` in reasons)
}

const cases = prism.cases.flatMap(({ id, request }) => {
  const intent = intents[id]
  const theirs: unknown = request.body
  return intent && isMap(theirs) ? [{ id, intent, theirs, path: request.path }] : []
})

async function requestOf(bench: Bench, { intent, theirs, path }: (typeof cases)[number]) {
  const [kind, payment] = intent
  const amount = isMap(theirs['amount']) ? Number(theirs['amount']['value']) : 0
  const operation = {
    id: `${theirs['reference']}` || bench.nextId(),
    amount: kind === 'increment' ? 100 : amount,
    currency: 'USD',
    paymentReference: path.split('/')[3] ?? null,
    identifiers: { payment_service_authorized_amount: `${amount - 100}` },
  }
  let body: unknown
  const call = { ...bench.call({ kind, ...operation }, payment) }
  await bench.connector.operations[kind]?.({
    ...call,
    http: async (request) => {
      body = request.body
      return { lost: true, sent: false, reason: 'only the request is of interest' }
    },
  })
  return body
}

test.each(cases)(
  'the request of $id is that of another orchestrator, or differs for a reason',
  async (each) => {
    const bench = openBench()
    Object.assign(bench.fields, { merchant_account: 'probe_merchant', card_numbers: 'allow' })
    const ours = new Map(flat(await requestOf(bench, each)))
    const theirs = new Map(flat(each.theirs))
    const different = [...new Set([...ours.keys(), ...theirs.keys()])].filter(
      (path) => ours.get(path) !== theirs.get(path) && !hasReason(each.id, path),
    )
    expect(different.map((path) => ({ path, ours: ours.get(path), theirs: theirs.get(path) }))).toEqual([])
  },
)

test('every reason is needed', async () => {
  const needed = new Set<string>()
  for (const each of cases) {
    const bench = openBench()
    Object.assign(bench.fields, { merchant_account: 'probe_merchant', card_numbers: 'allow' })
    const ours = new Map(flat(await requestOf(bench, each)))
    const theirs = new Map(flat(each.theirs))
    for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
      if (ours.get(path) === theirs.get(path)) continue
      for (const reason of Object.keys(reasons)) {
        const [id, prefix] = reason.split(' ')
        if ((id === '*' || id === each.id) && (path === prefix || path.startsWith(`${prefix}/`)))
          needed.add(reason)
      }
    }
  }
  expect(Object.keys(reasons).filter((reason) => !needed.has(reason))).toEqual([])
})
