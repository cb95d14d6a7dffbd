/** The names of these pages in the navigation: loaded with the first page, which the pages' own words are not. */
export const connectionWords = {
  paymentServices: 'Payment services',
  routing: 'Routing',
  fraud: '3-D Secure and fraud',
  giftCardServices: 'Gift card services',
  digitalWallets: 'Digital wallets',
} as const
