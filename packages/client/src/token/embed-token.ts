import type { TransactionCreate } from '../generated/schemas.ts'
import type { TokenSource } from './token-source.ts'

/** What a browser cannot change: docs/reference/browser-tokens.md. */
export interface EmbedConstraints {
  /** In the smallest unit of the currency. */
  amount: number
  currency: string
  buyer_id?: string | undefined
  buyer_external_identifier?: string | undefined
  merchant_account_id?: string | undefined
  metadata?: Record<string, string> | undefined
  cart_items?: TransactionCreate['cart_items']
  connection_options?: TransactionCreate['connection_options']
}

export interface EmbedTokenOptions {
  /** How long it is valid, in seconds: 3,600 by default. */
  expiresIn?: number | undefined
  /** The one checkout session that it pays with. */
  checkoutSessionId?: string | undefined
}

/** Signs a token for a buyer's browser. Without constraints it fixes nothing. */
export const embedToken = (
  tokens: TokenSource,
  embed: EmbedConstraints | undefined,
  { expiresIn = 3600, checkoutSessionId }: EmbedTokenOptions = {},
): Promise<string> =>
  tokens.sign({ scopes: ['embed'], embed, checkout_session_id: checkoutSessionId }, expiresIn)
