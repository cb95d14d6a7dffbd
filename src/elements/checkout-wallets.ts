import { findWalletOfProvider } from '../checkout/digital-wallets/digital-wallet.store.ts'
import type { World } from '../world.ts'

/** What the script of a checkout cannot know of the digital wallets from `POST /payment-options`. */
export interface CheckoutWallets {
  /** Null: the page's domain is not registered for Apple Pay. `country`: the merchant's; null: the payment's. */
  applePay: { country: string | null } | null
  /** `merchantId`: the id that Google gave the merchant. */
  googlePay: {
    environment: 'TEST' | 'PRODUCTION'
    merchantId: string | null
    /** As that of Apple Pay. */
    country: string | null
  } | null
}

/** `parent`: the origin of the page that shows the checkout. Apple registers that page's domain, not the frame's. */
export async function checkoutWallets(
  world: World,
  account: string,
  parent: string,
): Promise<CheckoutWallets> {
  const apple = await findWalletOfProvider(world, account, 'apple')
  const google = await findWalletOfProvider(world, account, 'google')
  const merchantId = google?.extra_configuration?.['google_merchant_id']
  return {
    applePay: apple?.domain_names.includes(new URL(parent).hostname)
      ? { country: apple.merchant_country_code }
      : null,
    googlePay: google
      ? {
          environment: world.settings.environment === 'sandbox' ? 'TEST' : 'PRODUCTION',
          merchantId: typeof merchantId === 'string' ? merchantId : null,
          country: google.merchant_country_code,
        }
      : null,
  }
}
