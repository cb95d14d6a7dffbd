export const giftCardServiceWords = {
  title: 'Gift card services',
  text: 'One active service redeems and issues the gift cards of this merchant account.',
  connect: 'Connect a service',
  newTitle: 'Connect a gift card service',
  none: 'No gift card service yet',
  noneText: 'Connect one to let buyers pay with gift cards.',
  columns: { name: 'Name', kind: 'Service', state: 'State', created: 'Created', updated: 'Updated' },
  active: 'One service is active at a time. A paused one takes no cards.',
  webhook: 'Webhook',
  webhookText:
    'Enter this address at the provider, which tells Railyard here how it has decided about reversals and refunds.',
  delete: 'Delete',
  deleteText: 'It takes no further cards. What was redeemed with it can still be put back.',
  definitions: {
    'mock-gift-card': 'Mock gift card',
    'adyen-gift-card': 'Adyen gift card',
  },
  fields: {
    api_key: 'API key',
    merchant_account: 'Merchant account',
    environment: 'Environment',
    live_url_prefix: 'Live URL prefix',
    brand: 'Brand of the gift cards, such as givex or svs',
    hmac_key: 'HMAC key of the webhook',
  },
} as const
