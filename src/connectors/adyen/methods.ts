import type { Definition } from '../contract/connector.ts'
import { type AdyenOptions, paymentFields } from './environment.ts'

/** A payment method with which the buyer pays on the provider's page. */
export interface AdyenMethod {
  /** Of the definition. */
  id: string
  method: string
  displayName: string
  /** The provider's name of it. */
  type: string
  currencies: readonly string[]
  /** Empty: every country. */
  countries: readonly string[]
  /** Whether the money can be authorized first, and captured or released later. */
  delayedCapture: boolean
}

/** Nothing else has to be written for another redirect method of this provider. */
export const adyenMethods: readonly AdyenMethod[] = [
  {
    id: 'adyen-ideal',
    method: 'ideal',
    displayName: 'iDEAL',
    type: 'ideal',
    currencies: ['EUR'],
    countries: ['NL'],
    delayedCapture: false,
  },
  {
    id: 'adyen-bancontact',
    method: 'bancontact',
    displayName: 'Bancontact',
    type: 'bcmc',
    currencies: ['EUR'],
    countries: ['BE'],
    delayedCapture: false,
  },
  {
    id: 'adyen-sepa',
    method: 'sepa',
    displayName: 'SEPA direct debit',
    type: 'sepadirectdebit',
    currencies: ['EUR'],
    countries: [],
    delayedCapture: false,
  },
  {
    id: 'adyen-blik',
    method: 'blik',
    displayName: 'BLIK',
    type: 'blik',
    currencies: ['PLN'],
    countries: ['PL'],
    delayedCapture: false,
  },
  {
    id: 'adyen-eps',
    method: 'eps',
    displayName: 'EPS',
    type: 'eps',
    currencies: ['EUR'],
    countries: ['AT'],
    delayedCapture: false,
  },
  {
    id: 'adyen-p24',
    method: 'p24',
    displayName: 'Przelewy24',
    type: 'onlineBanking_PL',
    currencies: ['PLN', 'EUR'],
    countries: ['PL'],
    delayedCapture: false,
  },
  {
    id: 'adyen-alipay',
    method: 'alipay',
    displayName: 'Alipay',
    type: 'alipay',
    currencies: ['AUD', 'CAD', 'CNY', 'EUR', 'GBP', 'HKD', 'JPY', 'NZD', 'SGD', 'USD'],
    countries: [],
    delayedCapture: false,
  },
  {
    id: 'adyen-klarna',
    method: 'bnpl',
    displayName: 'Klarna',
    type: 'klarna',
    currencies: ['AUD', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'NOK', 'NZD', 'PLN', 'RON', 'SEK', 'USD'],
    countries: [],
    delayedCapture: true,
  },
]

const HOUR_MS = 3_600_000

export const methodDefinition = (
  { id, method, displayName, currencies, countries, delayedCapture }: AdyenMethod,
  { isSandbox }: AdyenOptions,
): Definition => ({
  id,
  displayName: `Adyen ${displayName}`,
  method,
  mode: 'redirect',
  fields: paymentFields(isSandbox),
  currencies,
  countries,
  features: {
    // a session cannot be ended before its time
    cancel: false,
    create_session: false,
    delayed_capture: delayedCapture,
    evidence: true,
    incremental_authorization: false,
    multi_capture: delayedCapture,
    over_capture: false,
    partial_authorization: false,
    partial_capture: delayedCapture,
    partial_refunds: true,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: true,
    settlement_reporting: false,
    transaction_sync: true,
    verify_credentials: true,
    void: delayedCapture,
    webhook_registration: true,
    zero_auth: false,
  },
  integrationClients: ['redirect'],
  browserOptions: [],
  approval: { defaultLife: HOUR_MS, longestLife: HOUR_MS, movesMoney: true },
})
