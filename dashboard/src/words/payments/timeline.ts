/** What stands in a payment's timeline, by the names of its entries. */
export const timelineWords = {
  theService: 'the payment service',
  refund: (amount: string) => `Refund of ${amount}`,
  events: {
    'transaction-api-request': () => 'Railyard received a request',
    'transaction-api-response': () => 'Railyard answered the request',
    'transaction-updated-status': () => 'The status changed',
    'transaction-modified-event': () => 'Details were changed by hand',
    'transaction-sync-event': (service: string) => `${service} was asked what became of it`,
    'transaction-sync-failed-event': (service: string) => `${service} could not tell what became of it`,
    'bin-lookup-request': () => 'The card’s issuer was looked up',
    'payment-connector-external-transaction-request': (service: string) => `Request to ${service}`,
    'payment-connector-response-transaction-authorization-succeeded': (service: string) =>
      `${service} authorized the payment`,
    'payment-connector-response-transaction-authorization-failed': (service: string) =>
      `${service} could not authorize the payment`,
    'payment-connector-response-transaction-declined': (service: string) => `${service} declined the payment`,
    'payment-connector-response-transaction-capture-succeeded': (service: string) =>
      `${service} captured the money`,
    'payment-connector-response-transaction-capture-failed': (service: string) =>
      `The capture failed at ${service}`,
    'payment-connector-response-transaction-capture-declined': (service: string) =>
      `${service} declined the capture`,
    'payment-connector-response-transaction-void-succeeded': (service: string) =>
      `${service} released the authorization`,
    'payment-connector-response-transaction-void-failed': (service: string) =>
      `The void failed at ${service}`,
    'payment-connector-response-transaction-void-declined': (service: string) =>
      `${service} declined the void`,
    'payment-connector-response-transaction-cancel-succeeded': (service: string) =>
      `${service} canceled the payment`,
    'payment-connector-response-transaction-cancel-pending': (service: string) =>
      `${service} is canceling the payment`,
    'payment-connector-response-transaction-cancel-failed': (service: string) =>
      `${service} could not cancel the payment`,
    'payment-connector-response-transaction-authorization-increment-succeeded': (service: string) =>
      `${service} increased the authorization`,
    'payment-connector-response-transaction-authorization-increment-failed': (service: string) =>
      `${service} did not increase the authorization`,
    'payment-connector-transaction-webhook-processed': (service: string) => `${service} sent a notification`,
    'payment-connector-report-transaction-settled': (service: string) => `${service} settled the payment`,
    'payment-connector-report-refund-settled': (service: string) => `${service} settled a refund`,
    'payment-connector-report-chargeback-posted': (service: string) => `A chargeback came from ${service}`,
    'payment-connector-report-chargeback-reversal-posted': (service: string) =>
      `A chargeback was reversed at ${service}`,
    'payment-services-skipped': () => 'Payment services were skipped',
    'anti-fraud-decision': (service: string) => `Fraud check by ${service}`,
    'anti-fraud-decision-error': (service: string) => `The fraud check by ${service} failed`,
    'anti-fraud-decision-skipped': () => 'The fraud check was skipped',
    'anti-fraud-webhook': (service: string) => `${service} decided the review`,
    'three-d-secure-preparation-request': () => 'The issuer was asked about 3-D Secure',
    'three-d-secure-authentication-request': () => 'The issuer was asked to authenticate the buyer',
    'three-d-secure-result-request': () => 'The issuer told the result of 3-D Secure',
    'three-d-secure-success': () => 'The buyer was authenticated',
    'three-d-secure-request-error': () => '3-D Secure failed',
    'gift-card-redemption-succeeded': () => 'A gift card paid a part',
    'gift-card-redemption-failed': () => 'A gift card could not pay its part',
    'gift-card-refund-succeeded': () => 'Money went back to a gift card',
    'gift-card-refund-failed': () => 'Money could not go back to a gift card',
    'gift-card-reversal-succeeded': () => 'The gift card’s part was undone',
    'dispute-opened': () => 'The buyer disputes the payment',
    'digital-wallet-apple-pay-token-decrypted': () => 'Paid with Apple Pay',
    'digital-wallet-google-pay-token-decrypted': () => 'Paid with Google Pay',
    'network-token-provision-succeeded': () => 'A network token was made for the card',
    'network-token-provision-failed': () => 'No network token could be made for the card',
    'real-time-account-update': () => 'The card’s details were renewed',
    'reauthorization-attempted': () => 'The authorization was renewed',
    'reauthorization-created': () => 'A new authorization took its place',
  } satisfies Record<string, (service: string) => string>,
} as const
