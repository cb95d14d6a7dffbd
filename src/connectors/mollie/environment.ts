import type { ServiceCall } from '../contract/call.ts'
import type { FieldDefinition } from '../contract/connector.ts'
import { definitionField } from '../wire/definition-fields.ts'

/** What a connector of this folder is made with. */
export interface MollieOptions {
  /** Replaces the provider's host, for fakes and proxies, e.g. `http://127.0.0.1:9090`. */
  baseUrl?: string
  clock: { now(): number }
  /** A sandbox takes test keys only. */
  isSandbox: boolean
}

const PROVIDER_URL = 'https://api.mollie.com'

export const urlOf = ({ baseUrl = PROVIDER_URL }: MollieOptions, path: string): string =>
  `${baseUrl}/v2${path}`

/** The environment is in the key: both have the same host. */
export const isLiveKey = (key: string | undefined): boolean => key?.startsWith('live_') === true

/** Live keys in a sandbox are never sent. */
export const isRefusedKey = ({ isSandbox }: MollieOptions, { service }: ServiceCall): boolean =>
  isSandbox && isLiveKey(service.fields['api_key'])

export const LIVE_KEY_MESSAGE =
  'the key is a live key, which an instance with RAILYARD_ENV=production takes; this is the sandbox'

/** The fields of every method. The organization's token is for webhooks and settlements. */
export const fields: readonly FieldDefinition[] = [
  definitionField('api_key', 'API key', { required: true, secret: true }),
  definitionField('webhook_secret', 'Webhook secret', { secret: true }),
  definitionField('organization_token', 'Organization access token', { secret: true }),
]

/** The fields of the card service: the profile's id is for the page that makes card tokens. */
export const cardFields: readonly FieldDefinition[] = [...fields, definitionField('profile_id', 'Profile ID')]
