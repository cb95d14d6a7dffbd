const OF_A_PLATFORM = 'an AI agent’s platform sells with it, no person'
/** Of a buyer's page or an integration: a person at the dashboard has no use for it. */
const OF_A_BUYER = 'it belongs to the page on which a buyer pays'
/** Its list has the same members. */
const IN_ITS_LIST = 'the list that a page shows has all of it'
const NOT_YET = 'the dashboard has no page for it yet (docs/plan.md, “Dashboard, what is left”)'
const CARD_DATA = 'people never type card numbers into the dashboard'

/** Operations that no page of the dashboard calls, and why; `test/dashboard-operations.test.ts` finds every other one called. */
export const operationsWithoutAPage: Readonly<Record<string, string>> = {
  'invitations.accept': 'the page of the invitation does it, before there is a session',
  'transactions.session.get': OF_A_BUYER,
  'transactions.session.update': OF_A_BUYER,
  'transactions.completeByGet': 'it is the same as by POST, which no prefetch sends',
  'transactions.captures.get': IN_ITS_LIST,
  'transactions.refunds.get': 'a refund is opened by its own id',
  'transactions.settlements.get': IN_ITS_LIST,
  'transactions.refundSettlements.get': IN_ITS_LIST,
  'transactions.actions.list': 'the routing decision has the same with its reasons',
  'paymentServiceDefinitions.sessions.create': OF_A_BUYER,
  'paymentServices.sessions.create': OF_A_BUYER,
  'paymentMethods.create': CARD_DATA,
  'paymentMethods.networkTokens.cryptogram.create': 'a cryptogram is for one payment of an integration',
  'digitalWallets.google.session.create': OF_A_BUYER,
  'digitalWallets.apple.session.create': OF_A_BUYER,
  'digitalWallets.clickToPay.session.create': OF_A_BUYER,
  'cardDetails.get': OF_A_BUYER,
  'checkout.sessions.create': OF_A_BUYER,
  'checkout.sessions.update': OF_A_BUYER,
  'checkout.sessions.fields.update': OF_A_BUYER,
  'checkout.sessions.fields.create': OF_A_BUYER,
  'checkout.sessions.cardDetails.get': OF_A_BUYER,
  'checkout.sessions.acquirer.get': OF_A_BUYER,
  'checkout.sessions.threeDsMethod.create': OF_A_BUYER,
  'agenticCommerce.delegatePayment.create': 'a platform delegates its buyers’ cards, no person',
  'agenticCommerce.checkoutSessions.create': OF_A_PLATFORM,
  'agenticCommerce.checkoutSessions.get': OF_A_PLATFORM,
  'agenticCommerce.checkoutSessions.update': OF_A_PLATFORM,
  'agenticCommerce.checkoutSessions.complete': OF_A_PLATFORM,
  'agenticCommerce.checkoutSessions.cancel': OF_A_PLATFORM,
  'agenticSeller.get': NOT_YET,
  'agenticSeller.update': NOT_YET,
  'agenticSeller.delete': NOT_YET,
  'paymentOptions.list': OF_A_BUYER,
  'cardSchemeDefinitions.list': OF_A_BUYER,
  'buyers.shippingDetails.get': IN_ITS_LIST,
  'buyers.giftCards.list': 'it is for a checkout; the list of gift cards shows those that cannot pay, too',
  'buyers.paymentMethods.list':
    'it is for a checkout; the list of stored methods shows those that cannot pay, too',
  'approvalPolicies.get': IN_ITS_LIST,
  'spendingLimits.get': IN_ITS_LIST,
}
