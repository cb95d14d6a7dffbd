import type { EventName } from './event-name.ts'

/** When each event is written; docs/reference/events.md is made of it. */
export const eventMeanings = {
  'api-key-pair.created': 'An API key pair was created. Events of key pairs are in the account `default`',
  'api-key-pair.updated': 'An API key pair was changed',
  'api-key-pair.deleted': 'An API key pair was deleted; its tokens are refused',
  'buyer.created': 'A buyer was created',
  'buyer.updated': 'A buyer was changed. A change of shipping details has events of its own',
  'buyer.deleted': 'A buyer was deleted',
  'shipping-details.created': 'An address of a buyer was created',
  'shipping-details.updated': 'An address of a buyer was changed',
  'shipping-details.deleted': 'An address of a buyer was deleted',
  'payment-method.updated': 'A stored payment method was changed, or has newer details of its card',
  'payment-method.deleted': 'A stored payment method was deleted',
  'payment-method.paused': 'The mandate of a stored payment method was suspended; it takes no payments',
  'payment-method.resumed': 'The mandate of a stored payment method was restored',
  'payment-method.authorization-updated': 'The issuer changed the mandate of a stored payment method',
  'payment-method.authorization-update-required':
    'The issuer wants the buyer to renew the mandate of a stored payment method',
  'payment-method.authorization-expiring': 'The mandate of a stored payment method is about to expire',
  'gift-card.created': 'A gift card was stored',
  'gift-card.deleted': 'A stored gift card was deleted',
  'transaction.authentication-pending':
    'The buyer has to approve: at the wallet, at the pay later provider, or at the card’s issuer (3-D Secure)',
  'transaction.authenticated': 'The buyer has approved; the money step follows',
  'transaction.authorized': 'The funds are reserved',
  'transaction.authorization-incremented': 'More funds are reserved',
  'transaction.authorization-increment-failed':
    'An increment was declined or failed; the amounts have not changed',
  'transaction.declined':
    'The payment was declined: by the issuer, the payment service, the anti-fraud service, the buyer, a gift card that pays alone, or a flow rule',
  'transaction.failed':
    'The payment failed for a technical reason (`error_code` says which), or was canceled',
  'transaction.captured': 'The funds are captured; a sale has this event, too',
  'transaction.capture-pending': 'A capture or a sale is accepted and not decided, or has no answer yet',
  'transaction.capture-failed': 'A capture was declined or failed',
  'transaction.voided': 'The authorization was voided',
  'transaction.void-pending': 'A void is accepted and not decided, or has no answer yet',
  'transaction.void-declined': 'A void was declined; the authorization stands',
  'transaction.void-failed': 'A void failed; the authorization stands',
  'transaction.review-accepted': 'The anti-fraud service accepted a payment after its review',
  'transaction.modified': 'The merchant changed metadata, identifiers, or corrected amounts or the status',
  'transaction.settled':
    'A settlement report has a payment or a part of it: `settled`, `settled_amount` (net, the sum of all), `settled_currency`',
  'transaction.disputed':
    'A settlement report has a chargeback: the buyer’s bank took the money back, or a part of it (`disputed_amount`)',
  'transaction.dispute-won': 'A chargeback was reversed; the money is the merchant’s again',
  'transaction.dispute-lost': 'What a reversal had given back was taken once more',
  'dispute.opened': 'A payment service has told of a dispute: a chargeback, or an inquiry before one',
  'dispute.updated':
    'A dispute was changed: its status, its amounts, the time for evidence; or evidence was submitted, or it was accepted',
  'dispute.closed': 'A dispute has ended: `status` says how',
  'capture.pending': 'One capture is accepted and not decided, or has no answer yet',
  'capture.succeeded': 'One capture succeeded; it comes before the event of the transaction',
  'capture.declined': 'One capture was declined',
  'capture.failed': 'One capture failed',
  'refund.pending': 'One refund is accepted and not decided, or has no answer yet',
  'refund.succeeded': 'One refund succeeded, to the payment method or to a gift card',
  'refund.declined': 'One refund was declined',
  'refund.failed': 'One refund failed',
  'payout.pending': 'A payout is accepted and not decided, or has no answer yet',
  'payout.succeeded': 'A payout succeeded',
  'payout.declined': 'A payout was declined',
  'payout.failed': 'A payout failed',
  'payment-link.created': 'A payment link was created. `url` is left out, because it is a credential',
  'payment-link.updated':
    'The status of a payment link changed: a payment began, succeeded or failed, or the link has expired',
  'report-execution.succeeded': 'The file of a report is there',
  'report-execution.failed': 'A report could not be made',
  'monitoring.incident.created': 'A monitored metric left its bounds',
  'monitoring.incident.closed': 'A monitored metric is within its bounds again, or is not watched any more',
  'hosted-page.incident.created':
    'A browser has blocked something on a page of Railyard, or the page was changed on its way to browsers',
  'payment-service.unhealthy': 'The circuit of a payment service opened: payments go to others',
  'payment-service.healthy': 'The circuit of a payment service closed',
  'webhook-subscription.disabled': 'A subscription failed for seven days and is inactive now',
  'webhook-subscription.test': 'A test delivery was requested',
} as const satisfies Record<EventName, string>
