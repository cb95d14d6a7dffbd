/** The names of pages about money in the navigation. Apart from their other texts, which no first page needs. */
export const moneyTitles = {
  payments: 'Payments',
  refunds: 'Refunds',
  disputes: 'Disputes',
  payouts: 'Payouts',
  paymentLinks: 'Payment links',
  buyers: 'Buyers',
  storedMethods: 'Stored methods',
  giftCards: 'Gift cards',
  checkoutSessions: 'Checkout sessions',
} as const
