import { findWalletOfProvider } from '../../checkout/digital-wallets/digital-wallet.store.ts'
import { decimalAmount } from '../../page/format.ts'
import { type Html, html } from '../../page/html.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { pageDomain } from './page-domain.ts'

/** Apple's `ApplePayPaymentRequest` for a link (Apple Pay on the Web). */
export interface ApplePayRequest {
  countryCode: string
  currencyCode: string
  supportedNetworks: readonly string[]
  merchantCapabilities: readonly string[]
  total: { label: string; amount: string; type: 'final' }
}

/** Null: the account has registered no Apple wallet for the domain of the page. */
export async function applePayRequest(world: World, link: PaymentLinkRow): Promise<ApplePayRequest | null> {
  const { merchant_account_id: account, amount, currency, country } = link
  const wallet = await findWalletOfProvider(world, account, 'apple')
  if (!wallet?.domain_names.includes(pageDomain(world))) return null
  return {
    countryCode: wallet.merchant_country_code ?? country,
    currencyCode: currency,
    supportedNetworks: ['visa', 'masterCard', 'amex', 'discover', 'jcb'],
    merchantCapabilities: ['supports3DS'],
    total: {
      label: wallet.merchant_display_name || wallet.merchant_name,
      amount: decimalAmount(amount, currency),
      type: 'final',
    },
  }
}

/** Apple's button. The script shows it where the browser has Apple Pay. */
export const applePayButton = (request: ApplePayRequest): Html =>
  html`<button type="button" id="apple-pay" class="apple-pay" data-request="${JSON.stringify(request)}" hidden>Apple Pay</button>`
