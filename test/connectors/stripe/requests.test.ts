import { describe, expect, test } from 'vitest'
import type { Call, OrderForCall } from '../../../src/connectors/contract/call.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import { judge } from './judges.ts'
import { type Bench, bench } from './support.ts'

interface Golden {
  cases: { id: string; request: { method: string; path: string; form?: [string, string][] } }[]
}
const golden = judge<Golden>('prism-requests').cases

/** Why a field is only in one of the two requests, or differs. Lists are compared by their name alone. */
const reasons: Readonly<Record<string, string>> = {
  confirm: 'we open the intent first, commit its id and then confirm it',
  currency: 'Stripe writes currencies in lower case; it takes both',
  metadata: 'ours name the operation and the transaction',
  return_url: 'it is Railyard’s own URL',
  payment_method_types: 'removed in the present version',
  allowed_payment_method_types: 'its successor',
  expand: 'ours asks for the charge wherever an intent is answered',
  'payment_method_data[card]': 'the present version takes a card only at /v1/payment_methods',
  'payment_method_data[type]': 'a card is made a method before',
  payment_method: 'the method that was made of the card, or the token itself',
  'payment_method_options[card]': 'ours asks for later amounts; 3-D Secure is left to Stripe’s rules',
  'payment_method_data[billing_details]': 'ours sends what is known of the buyer',
  description: 'ours sends the description of the purchase',
  cancellation_reason: 'ours says why',
  card: 'the same card, with the year in four digits',
  type: 'the same',
  billing_details: 'ours sends what is known of the buyer',
  amount: 'the amounts of the two intents differ',
  amount_to_capture: 'the amounts of the two intents differ',
  payment_intent: 'the ids of the two payments differ',
  customer: 'the ids differ',
  email: 'the buyers differ',
  name: 'the buyers differ',
  error_on_requires_action: 'ours refuses a challenge that no buyer would see',
}

const order: OrderForCall = {
  ...purchase({ description: 'Shoes' }),
  integrationClient: 'redirect',
}
const pay = (instrument: NonNullable<Call['payment']>['instrument']) => ({ instrument })
const method = (id: string) => async (given: Bench) => {
  const connector = given.method(id)
  const currency = connector.definition.currencies[0] ?? ''
  await connector.operations.sale?.(given.call({ kind: 'sale', currency }, { order }))
}
const card = { number: '4242424242424242', expirationDate: '03/30', securityCode: '737', scheme: 'visa' }

async function authorized({ connector, call, committed }: Bench): Promise<string> {
  await connector.operations.authorize?.(call({}, pay({ providerToken: 'pm_card_visa' })))
  return committed[0] ?? ''
}

const followUp = (kind: 'capture' | 'increment' | 'void') => async (given: Bench) => {
  const paymentReference = await authorized(given)
  given.stripe.received.splice(0)
  await given.connector.operations[kind]?.(given.call({ kind, amount: 5_00, paymentReference }))
}

/** The same intent at our connector. */
const ours: Readonly<Record<string, (given: Bench) => Promise<unknown>>> = {
  'authorize/Ideal': method('stripe-ideal'),
  'authorize/BancontactCard': method('stripe-bancontact'),
  'authorize/Eps': method('stripe-eps'),
  'authorize/Przelewy24': method('stripe-p24'),
  'authorize/AliPayRedirect': method('stripe-alipay'),
  'authorize/Klarna': method('stripe-klarna'),
  'authorize/Card': ({ connector, call }) =>
    connector.operations.sale?.(call({ kind: 'sale' }, pay({ card }))) ?? Promise.resolve(),
  'token_authorize/default': ({ connector, call }) =>
    connector.operations.sale?.(call({ kind: 'sale' }, pay({ providerToken: 'pm_card_visa' }))) ??
    Promise.resolve(),
  'recurring_charge/default': ({ connector, call }) =>
    connector.operations.sale?.(
      call(
        { kind: 'sale' },
        {
          instrument: { serviceToken: 'cus_1/pm_card_visa' },
          storedCredential: {
            initiator: 'merchant',
            usage: 'subsequent',
            reason: 'card_on_file',
            schemeTransactionId: null,
            transactionLinkId: null,
          },
        },
      ),
    ) ?? Promise.resolve(),
  'capture/default': followUp('capture'),
  'incremental_authorization/default': followUp('increment'),
  'void/default': followUp('void'),
  'refund/default': async (given) => {
    const { connector, call, committed, stripe } = given
    await connector.operations.sale?.(call({ kind: 'sale' }, pay({ providerToken: 'pm_card_visa' })))
    stripe.received.splice(0)
    await connector.operations.refund?.(call({ kind: 'refund', paymentReference: committed[0] ?? null }))
  },
}

/** A field without its last bracket, if its list or its members are compared as one. */
const comparedAs = (field: string): string =>
  Object.keys(reasons).find((name) => field === name || field.startsWith(`${name}[`)) ?? field

describe('another orchestrator’s request for the same intent', () => {
  test.each(Object.keys(ours))('%s differs only where there is a reason', async (id) => {
    const theirs = golden.find((item) => item.id === id)?.request
    const given = bench({ fields: { card_numbers: 'allow' } })
    await ours[id]?.(given)
    const sent = Object.assign({}, ...given.stripe.received.map(({ form = {} }) => form))
    const expected = Object.fromEntries(theirs?.form ?? [])
    const fields = new Set([...Object.keys(sent), ...Object.keys(expected)])
    const differing = [...fields].filter((field) => sent[field] !== expected[field])
    expect(differing.filter((field) => !(comparedAs(field) in reasons))).toEqual([])
    expect(theirs?.method).toBe('POST')
    const ending = theirs?.path.split('/').at(-1) ?? ''
    expect(given.stripe.received.map(({ url }) => url).join(' ')).toContain(ending)
  })
})
