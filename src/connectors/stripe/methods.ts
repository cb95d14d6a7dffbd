import type { Definition } from '../contract/connector.ts'
import type { Method } from '../contract/method.schema.ts'
import { credentials } from './definition.ts'

/** A method whose buyer pays at their bank, wallet or lender. */
export interface MethodTerms {
  /** Stripe's name for it. */
  type: string
  method: Method
  displayName: string
  currencies: readonly string[]
  /** Of the buyer; empty: any. */
  countries: readonly string[]
  /** Whether the money can be authorized first and captured later. */
  isDelayed: boolean
  /**
   * `redirect`: Stripe has a page for the buyer. `script`: Stripe's script asks the buyer in the merchant's
   * page, for the account number or the code that the method needs.
   */
  page: 'redirect' | 'script'
}

const euro = ['EUR'] as const
const klarna = {
  currencies: ['AUD', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'NOK', 'NZD', 'PLN', 'RON', 'SEK', 'USD'],
  countries: [
    ...['AT', 'AU', 'BE', 'CA', 'CH', 'CZ', 'DE', 'DK', 'ES', 'FI', 'FR', 'GB', 'GR', 'IE'],
    ...['IT', 'NL', 'NO', 'NZ', 'PL', 'PT', 'RO', 'SE', 'US'],
  ],
} as const
const alipayCurrencies = ['AUD', 'CAD', 'CNY', 'EUR', 'GBP', 'HKD', 'JPY', 'MYR', 'NZD', 'SGD', 'USD']

/** The methods beside cards. A new one is a line here. */
export const methods: readonly MethodTerms[] = [
  terms('ideal', 'ideal', 'iDEAL', { currencies: euro, countries: ['NL'] }),
  terms('bancontact', 'bancontact', 'Bancontact', { currencies: euro, countries: ['BE'] }),
  terms('eps', 'eps', 'EPS', { currencies: euro, countries: ['AT'] }),
  terms('p24', 'p24', 'Przelewy24', { currencies: ['EUR', 'PLN'], countries: ['PL'] }),
  terms('alipay', 'alipay', 'Alipay', { currencies: alipayCurrencies }),
  terms('klarna', 'bnpl', 'Klarna', { ...klarna, isDelayed: true }),
  terms('sepa_debit', 'sepa', 'SEPA direct debit', { currencies: euro, page: 'script' }),
  terms('blik', 'blik', 'BLIK', { currencies: ['PLN'], countries: ['PL'], page: 'script' }),
]

function terms(
  type: string,
  method: Method,
  displayName: string,
  more: Pick<MethodTerms, 'currencies'> & Partial<MethodTerms>,
): MethodTerms {
  return { type, method, displayName, countries: [], isDelayed: false, page: 'redirect', ...more }
}

const HOUR_MS = 3_600_000

/** The id of a method's definition: `stripe-ideal`, `stripe-sepa`, `stripe-klarna`. */
const idOf = ({ type }: MethodTerms) => `stripe-${type === 'sepa_debit' ? 'sepa' : type}`

export function methodDefinition(method: MethodTerms): Definition {
  const { isDelayed, page } = method
  return {
    id: idOf(method),
    displayName: `Stripe ${method.displayName}`,
    method: method.method,
    mode: 'redirect',
    fields: credentials.map((field) =>
      // the script of the merchant's page runs with it
      field.key === 'publishable_key' && page === 'script' ? { ...field, required: true } : field,
    ),
    currencies: method.currencies,
    countries: method.countries,
    features: {
      cancel: true,
      create_session: false,
      delayed_capture: isDelayed,
      evidence: true,
      incremental_authorization: false,
      multi_capture: false,
      over_capture: false,
      partial_authorization: false,
      partial_capture: isDelayed,
      partial_refunds: true,
      payouts: false,
      reauthorization: false,
      refunds: true,
      requires_webhook_setup: true,
      settlement_reporting: true,
      transaction_sync: true,
      verify_credentials: true,
      void: isDelayed,
      webhook_registration: true,
      zero_auth: false,
    },
    integrationClients: page === 'redirect' ? ['redirect'] : ['web', 'android', 'ios'],
    browserOptions: [],
    approval: { defaultLife: HOUR_MS, longestLife: 24 * HOUR_MS, movesMoney: true },
  }
}
