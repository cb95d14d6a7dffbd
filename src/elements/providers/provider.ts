/** What a page needs to show the fields of a provider's own script, by an adapter. All of it is public. */
export interface Provider extends ServedScript {
  name: ProviderName
  /** The key with which the provider's script makes tokens. */
  key: string
  /** Of the provider's accounts: test or live. */
  isLive: boolean
  /** Adyen: the region of the live account. */
  region?: string
  /** Adyen: the country of the buyer, else one where the merchant sells. ISO 3166-1 alpha-2. */
  country?: string
}

/** A script that Railyard serves to a merchant's page: the name of its file below `/elements/assets`, and its hash. */
export interface ServedScript {
  file: string
  integrity: string
}

export type ProviderName = 'adyen' | 'checkout' | 'mollie' | 'stripe'
