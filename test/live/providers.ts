import { adyenCard } from '../../src/connectors/adyen/connector.ts'
import { checkoutCard } from '../../src/connectors/checkout/connector.ts'
import type { Instrument } from '../../src/connectors/contract/call.ts'
import type { Connector } from '../../src/connectors/contract/connector.ts'
import { mollieCard } from '../../src/connectors/mollie/connector.ts'
import { stripeCard } from '../../src/connectors/stripe/connector.ts'
import type { HttpAnswer, HttpRequest } from '../../src/connectors/wire/http-message.ts'

export type Env = Readonly<Record<string, string | undefined>>
export type Token = NonNullable<Instrument['providerToken']>
export type Http = (request: HttpRequest) => Promise<HttpAnswer>

export interface ConnectorOptions {
  /** Replaces the provider's host: in the suite's own test only. */
  baseUrl?: string
  clock: { now(): number }
  isSandbox: true
}

/** A variable of the environment that the suite needs. */
interface Variable {
  name: string
  meaning: string
  /** What a value for the provider's test system looks like; any other value is refused. */
  test: RegExp
  optional?: true
}

/** What the suite needs to know of a provider. */
export interface LiveProvider {
  variables: readonly Variable[]
  connector(options: ConnectorOptions): Connector
  fields(env: Env): Record<string, string>
  /** Makes what the browser script makes. `number`: from 0, of the payment. */
  approvedToken(made: { env: Env; http: Http; number: number; baseUrl: string | undefined }): Promise<Token>
  declinedToken(made: { env: Env; http: Http; number: number; baseUrl: string | undefined }): Promise<Token>
  /** In cents; absent: the token alone makes the provider decline. */
  declinedAmount?: number
  /** The request that moves the money of a payment: the one whose answer is lost. */
  paysWith(request: HttpRequest): boolean
  /** A buyer has to decide each payment on the provider's page. */
  hasBuyer: boolean
  /** The provider has no request that reads a payment: webhooks alone tell, and this suite receives none. */
  tellsByWebhookOnly: boolean
}

export const liveNames = ['stripe', 'adyen', 'checkout', 'mollie'] as const
export type LiveName = (typeof liveNames)[number]

const posts = (path: RegExp) => (request: HttpRequest) =>
  request.method === 'POST' && path.test(new URL(request.url).pathname)

const encrypted = {
  type: 'scheme',
  encryptedCardNumber: 'test_4111111111111111',
  encryptedExpiryMonth: 'test_03',
  encryptedExpiryYear: 'test_2030',
  encryptedSecurityCode: 'test_737',
}

/** A token of Checkout.com for a test card, made with the public key, as its browser script makes it. */
const checkoutToken =
  (card: string): LiveProvider['approvedToken'] =>
  async ({ env, http, baseUrl = 'https://api.sandbox.checkout.com' }) => {
    const answer = await http({
      method: 'POST',
      url: `${baseUrl}/tokens`,
      headers: { authorization: `Bearer ${env['CHECKOUT_PUBLIC_KEY'] ?? ''}` },
      body: { type: 'card', number: card, expiry_month: 12, expiry_year: 2035, cvv: '100' },
    })
    const token = answer.lost ? undefined : answer.body['token']
    if (typeof token !== 'string')
      throw new Error(`no token: ${answer.lost ? answer.reason : `HTTP ${answer.status}`}`)
    return token
  }

const mollieToken: LiveProvider['approvedToken'] = async ({ env, number }) => {
  const token = (env['MOLLIE_CARD_TOKENS'] ?? '').split(',')[number]
  if (!token) throw new Error(`MOLLIE_CARD_TOKENS has no token number ${number + 1}`)
  return token
}

const some = /\S/

export const providers: Readonly<Record<LiveName, LiveProvider>> = {
  stripe: {
    variables: [
      { name: 'STRIPE_SECRET_KEY', meaning: 'sk_test_… or rk_test_…', test: /^(?:sk|rk)_test_\S+$/ },
    ],
    connector: stripeCard,
    fields: (env) => ({ secret_key: env['STRIPE_SECRET_KEY'] ?? '' }),
    approvedToken: async () => 'pm_card_visa',
    declinedToken: async () => 'pm_card_visa_chargeDeclinedInsufficientFunds',
    paysWith: posts(/\/confirm$/),
    hasBuyer: false,
    tellsByWebhookOnly: false,
  },
  adyen: {
    // an API key does not say where it belongs: the suite knows the hosts of the test system only
    variables: [
      { name: 'ADYEN_API_KEY', meaning: 'the API key of a test account', test: some },
      { name: 'ADYEN_MERCHANT_ACCOUNT', meaning: 'the merchant account', test: some },
      {
        name: 'ADYEN_CLIENT_KEY',
        meaning: 'the client key, test_…: that of a live account is refused',
        test: /^test_\S+$/,
      },
    ],
    connector: adyenCard,
    fields: (env) => ({
      api_key: env['ADYEN_API_KEY'] ?? '',
      merchant_account: env['ADYEN_MERCHANT_ACCOUNT'] ?? '',
      environment: 'sandbox',
    }),
    approvedToken: async () => encrypted,
    declinedToken: async () => ({ ...encrypted, holderName: 'NOT_ENOUGH_BALANCE' }),
    paysWith: posts(/\/payments$/),
    hasBuyer: false,
    tellsByWebhookOnly: true,
  },
  checkout: {
    variables: [
      { name: 'CHECKOUT_SECRET_KEY', meaning: 'sk_sbox_…', test: /^sk_sbox_\S+$/ },
      { name: 'CHECKOUT_PUBLIC_KEY', meaning: 'pk_sbox_…', test: /^pk_sbox_\S+$/ },
      {
        name: 'CHECKOUT_PROCESSING_CHANNEL_ID',
        meaning: 'pc_…, if the account has several',
        test: /^pc_\S+$/,
        optional: true,
      },
    ],
    connector: checkoutCard,
    fields: (env) => ({
      secret_key: env['CHECKOUT_SECRET_KEY'] ?? '',
      environment: 'sandbox',
      ...(env['CHECKOUT_PROCESSING_CHANNEL_ID'] && {
        processing_channel_id: env['CHECKOUT_PROCESSING_CHANNEL_ID'],
      }),
    }),
    approvedToken: checkoutToken('4242424242424242'),
    declinedToken: checkoutToken('4544249167673670'),
    paysWith: posts(/\/payments$/),
    hasBuyer: false,
    tellsByWebhookOnly: false,
  },
  mollie: {
    variables: [
      { name: 'MOLLIE_API_KEY', meaning: 'test_…', test: /^test_\S+$/ },
      {
        name: 'MOLLIE_CARD_TOKENS',
        meaning: 'five tokens of mollie.js, separated by commas, each of the last hour',
        test: /^tkn_\w+(?:,tkn_\w+){4}$/,
      },
    ],
    connector: mollieCard,
    fields: (env) => ({ api_key: env['MOLLIE_API_KEY'] ?? '' }),
    approvedToken: mollieToken,
    declinedToken: mollieToken,
    declinedAmount: 1007_00,
    paysWith: posts(/\/payments$/),
    hasBuyer: true,
    tellsByWebhookOnly: false,
  },
}

/** Why the suite cannot run with these variables; empty: it can. Values are never repeated. */
export const problemsOf = ({ variables }: LiveProvider, env: Env): string[] =>
  variables.flatMap(({ name, meaning, test, optional = false }) => {
    const value = env[name]
    if (!value) return optional ? [] : [`${name} is missing: ${meaning}`]
    if (/live/i.test(value) && !test.test(value)) return [`${name} is a live key: this suite refuses it`]
    return test.test(value) ? [] : [`${name} is none of the test system: ${meaning}`]
  })
