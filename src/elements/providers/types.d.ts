import type { CardChange, CardFieldName, CardStyle } from '../../../packages/elements/src/messages.ts'

/** What a page needs to show the fields of a provider's own script. All of it is public. */
export interface Provider {
  name: ProviderName
  /** The key with which the provider's script makes tokens. */
  key: string
  /** Of the provider's accounts: test or live. */
  isLive: boolean
  /** Adyen: the region of the live account. */
  region?: string
  /** Adyen: the country of the buyer, else one where the merchant sells. ISO 3166-1 alpha-2. */
  country?: string
  /** The name of the adapter's file below `/elements/assets`, and its hash. */
  file: string
  integrity: string
}

export type ProviderName = 'adyen' | 'checkout' | 'mollie' | 'stripe'

/** What the script of a provider made of a card, and what it tells of it. Only the token is certain. */
export interface ProviderToken {
  token: string | Readonly<Record<string, unknown>>
  /** The first six to eight digits. */
  bin?: string | null | undefined
  /** The last four digits. */
  card_suffix?: string | null | undefined
  /** As the API names it. */
  card_scheme?: string | null | undefined
  /** `MM/YY` */
  expiration_date?: string | null | undefined
}

/** The fields that an adapter has mounted. */
export interface ProviderFields {
  /** A token of what the buyer entered, or the code of an error. */
  createToken(): Promise<ProviderToken | { code: 'incomplete' | 'refused' | 'offline' | 'failed' }>
  setStyle(style: CardStyle): void
  clear(): void
  focus(): void
  remove(): void
}

export interface MountOptions {
  /** The element of the page in which the fields appear. */
  box: HTMLElement
  provider: Provider
  style: CardStyle
  /** BCP 47 */
  locale: string | undefined
  postalCode: boolean
  /** Loads a script of the provider, from the provider: once, however often it is asked for. */
  loadScript: (url: string) => Promise<void>
  onChange: (change: Pick<CardChange, 'complete' | 'brand' | 'last4'> & { isEmpty: boolean }) => void
  onFocus: (field: CardFieldName) => void
  onBlur: (field: CardFieldName) => void
}

/** Shows the fields of a provider. Throws if its script did not start. */
export type Adapter = (options: MountOptions) => Promise<ProviderFields>

declare global {
  /** The adapters that the page has loaded. */
  var railyardProviders: Partial<Record<ProviderName, Adapter>> | undefined
}
