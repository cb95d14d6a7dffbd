/** The body of `POST /digital-wallets` that registers a shop for Apple Pay. */
export const appleWallet = {
  provider: 'apple',
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  domain_names: ['shop.example'],
  accept_terms_and_conditions: true,
}
