import type { Definition } from '../contract/connector.ts'
import { fields } from './environment.ts'

/** A payment method with which the buyer pays on the provider's page. */
export interface MollieMethod {
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
  /** How long a buyer may take to pay, in milliseconds. */
  life: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Nothing else has to be written for another redirect method of this provider, except that its name must be
 * one of the API's methods.
 */
export const mollieMethods: readonly MollieMethod[] = [
  {
    id: 'mollie-ideal',
    method: 'ideal',
    displayName: 'iDEAL',
    type: 'ideal',
    currencies: ['EUR'],
    countries: ['NL'],
    delayedCapture: false,
    life: 15 * MINUTE_MS,
  },
  {
    id: 'mollie-bancontact',
    method: 'bancontact',
    displayName: 'Bancontact',
    type: 'bancontact',
    currencies: ['EUR'],
    countries: ['BE'],
    delayedCapture: false,
    life: HOUR_MS,
  },
  {
    id: 'mollie-sepa',
    method: 'sepa',
    displayName: 'SEPA direct debit',
    type: 'directdebit',
    currencies: ['EUR'],
    countries: [],
    delayedCapture: false,
    life: HOUR_MS,
  },
  {
    id: 'mollie-blik',
    method: 'blik',
    displayName: 'BLIK',
    type: 'blik',
    currencies: ['PLN'],
    countries: ['PL'],
    delayedCapture: false,
    life: HOUR_MS,
  },
  {
    id: 'mollie-eps',
    method: 'eps',
    displayName: 'EPS',
    type: 'eps',
    currencies: ['EUR'],
    countries: ['AT'],
    delayedCapture: false,
    life: 15 * MINUTE_MS,
  },
  {
    id: 'mollie-p24',
    method: 'p24',
    displayName: 'Przelewy24',
    type: 'przelewy24',
    currencies: ['EUR', 'PLN'],
    countries: ['PL'],
    delayedCapture: false,
    life: HOUR_MS,
  },
  {
    id: 'mollie-klarna',
    method: 'bnpl',
    displayName: 'Klarna',
    type: 'klarna',
    currencies: ['CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'NOK', 'PLN', 'RON', 'SEK'],
    countries: [],
    delayedCapture: true,
    life: HOUR_MS,
  },
]

export const methodDefinition = ({
  id,
  method,
  displayName,
  currencies,
  countries,
  delayedCapture,
  life,
}: MollieMethod): Definition => ({
  id,
  displayName: `Mollie ${displayName}`,
  method,
  mode: 'redirect',
  fields,
  currencies,
  countries,
  features: {
    cancel: true,
    create_session: false,
    delayed_capture: delayedCapture,
    evidence: false,
    incremental_authorization: false,
    multi_capture: delayedCapture,
    over_capture: false,
    partial_authorization: false,
    partial_capture: delayedCapture,
    partial_refunds: true,
    reauthorization: false,
    refunds: true,
    requires_webhook_setup: false,
    settlement_reporting: true,
    transaction_sync: true,
    verify_credentials: true,
    void: delayedCapture,
    webhook_registration: true,
    zero_auth: false,
  },
  integrationClients: ['redirect'],
  browserOptions: [],
  approval: { defaultLife: life, longestLife: life, movesMoney: true },
})
