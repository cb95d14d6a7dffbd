import { findWalletOfProvider } from '../../checkout/digital-wallets/digital-wallet.store.ts'
import { gatewayMerchantId, googlePayAuthorization } from '../../checkout/digital-wallets/google-pay.ts'
import { decimalAmount } from '../../page/format.ts'
import type { HostedScript } from '../../page/hosted-page.ts'
import { type Html, html } from '../../page/html.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'
import { pageDomain } from './page-domain.ts'
import type { Words } from './words/words.ts'

/** Google's `PaymentDataRequest` for a link (Google Pay API for Web, version 2.0). */
export interface GooglePayRequest {
  apiVersion: 2
  apiVersionMinor: 0
  allowedPaymentMethods: readonly Record<string, unknown>[]
  transactionInfo: Record<string, string>
  merchantInfo: Record<string, string>
}

/** Google serves it under this URL only, and changes it without notice: no hash can be named for it. */
const SCRIPT_URL = 'https://pay.google.com/gp/p/js/pay.js'

/** For the inventory of scripts. */
export const googlePayScript: HostedScript = {
  page: 'payment-link',
  externalUrl: SCRIPT_URL,
  purpose:
    'Google Pay: shows Google’s button, and gets the buyer’s approval. Only on pages of accounts that have registered a Google wallet',
}

/**
 * What the policy of a page with Google Pay allows beside the page's own sources: the script, what it injects
 * with the nonce, its window, and the payment handler of browsers, which redirects between these hosts.
 */
export const googlePaySources = (nonce: string) => ({
  script: `${SCRIPT_URL} 'nonce-${nonce}'`,
  style: `'nonce-${nonce}'`,
  connect: 'https://pay.google.com https://google.com/pay https://www.google.com/pay',
  frame: 'https://pay.google.com',
  image: 'https://www.gstatic.com',
})

/** Null: the account has registered no Google wallet. */
export async function googlePayRequest(world: World, link: PaymentLinkRow): Promise<GooglePayRequest | null> {
  const { merchant_account_id: account, amount, currency, country } = link
  const wallet = await findWalletOfProvider(world, account, 'google')
  if (!wallet) return null
  const origin = pageDomain(world)
  const merchantId = wallet.extra_configuration?.['google_merchant_id']
  return {
    apiVersion: 2,
    apiVersionMinor: 0,
    allowedPaymentMethods: [
      {
        type: 'CARD',
        parameters: {
          allowedAuthMethods: ['PAN_ONLY', 'CRYPTOGRAM_3DS'],
          allowedCardNetworks: ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'JCB'],
        },
        tokenizationSpecification: {
          type: 'PAYMENT_GATEWAY',
          parameters: {
            gateway: world.settings.googlePayGateway,
            gatewayMerchantId: gatewayMerchantId(world, account),
          },
        },
      },
    ],
    transactionInfo: {
      totalPriceStatus: 'FINAL',
      totalPrice: decimalAmount(amount, currency),
      currencyCode: currency,
      countryCode: wallet.merchant_country_code ?? country,
    },
    merchantInfo: {
      merchantName: wallet.merchant_display_name || wallet.merchant_name,
      ...(typeof merchantId === 'string' && { merchantId }),
      merchantOrigin: origin,
      authJwt: await googlePayAuthorization(world, account, origin),
    },
  }
}

/** The place of Google's button. The script loads Google's, and shows the button if the buyer can use it. */
export const googlePayPlace = (
  { settings }: Pick<World, 'settings'>,
  request: GooglePayRequest,
  nonce: string,
  { lang }: Pick<Words, 'lang'>,
): Html => {
  const data = {
    script: SCRIPT_URL,
    client: { environment: settings.environment === 'sandbox' ? 'TEST' : 'PRODUCTION', nonce },
    request,
    // Google's button has languages without regions
    button: { buttonType: 'pay', buttonSizeMode: 'fill', buttonRadius: 12, buttonLocale: lang.slice(0, 2) },
  }
  return html`<div id="google-pay" class="google-pay" data-google-pay="${JSON.stringify(data)}" hidden></div>`
}
