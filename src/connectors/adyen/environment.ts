import type { ServiceForCall } from '../contract/call.ts'
import type { FieldDefinition } from '../contract/connector.ts'
import { environmentField } from '../wire/account-environment.ts'
import { cardNumbersField, definitionField } from '../wire/definition-fields.ts'

/** What a connector of this folder is made with. */
export interface AdyenOptions {
  /** Replaces the provider's hosts, for fakes and proxies, e.g. `http://127.0.0.1:9090`. */
  baseUrl?: string
  clock: { now(): number }
  /** A sandbox takes credentials of the provider's test system only. */
  isSandbox: boolean
}

/** The provider's APIs; each has a host of its own. */
export type Api = 'checkout' | 'management' | 'disputes' | 'reports' | 'stored-value'

const paths: Record<Api, string> = {
  checkout: '/v71',
  management: '/v3',
  disputes: '/ca/services/DisputeService/v30',
  reports: '',
  'stored-value': '/pal/servlet/StoredValue/v46',
}

const testHosts: Record<Api, string> = {
  checkout: 'https://checkout-test.adyen.com',
  management: 'https://management-test.adyen.com',
  disputes: 'https://ca-test.adyen.com',
  reports: 'https://ca-test.adyen.com',
  'stored-value': 'https://pal-test.adyen.com',
}

/** Live payments go to hosts with the merchant's own prefix. */
const liveUrls: Record<Api, (prefix: string) => string> = {
  checkout: (prefix) => `https://${prefix}-checkout-live.adyenpayments.com/checkout/v71`,
  management: () => 'https://management-live.adyen.com/v3',
  disputes: () => `https://ca-live.adyen.com${paths.disputes}`,
  reports: () => 'https://ca-live.adyen.com',
  'stored-value': (prefix) => `https://${prefix}-pal-live.adyenpayments.com${paths['stored-value']}`,
}

const prefixPattern = /^[0-9a-z-]{1,80}$/i

/** The URL of an API for a service; undefined: the service is not configured for its environment. */
export function urlOf(
  { baseUrl, isSandbox }: AdyenOptions,
  { fields }: Pick<ServiceForCall, 'fields'>,
  api: Api,
): string | undefined {
  const isLive = fields['environment'] === 'production'
  if (isLive && isSandbox) return undefined
  if (baseUrl !== undefined) return `${baseUrl}${paths[api]}`
  if (!isLive) return `${testHosts[api]}${paths[api]}`
  const prefix = fields['live_url_prefix'] ?? ''
  return prefixPattern.test(prefix) ? liveUrls[api](prefix) : undefined
}

/** The fields with which every service of this provider is configured. */
export const accountFields = (isSandbox: boolean): FieldDefinition[] => [
  definitionField('merchant_account', 'Merchant account', { required: true }),
  definitionField('api_key', 'API key', { required: true, secret: true }),
  environmentField(isSandbox, ['sandbox']),
  definitionField('live_url_prefix', 'Live URL prefix'),
]

/** The fields of a payment service, beside those of the account. */
export const paymentFields = (isSandbox: boolean): FieldDefinition[] => [
  ...accountFields(isSandbox),
  definitionField('hmac_key', 'HMAC key of the webhook', { secret: true }),
]

/** The fields of the card service. */
export const cardFields = (isSandbox: boolean): FieldDefinition[] => [
  ...paymentFields(isSandbox),
  definitionField('report_api_key', 'API key of the report user', { secret: true }),
  cardNumbersField,
  definitionField('authorization_type', 'Authorization type', { values: ['final', 'pre'] }),
  definitionField('client_key', 'Client key'),
  definitionField('live_region', 'Region of the live account', { values: ['us', 'au', 'apse', 'in'] }),
]
