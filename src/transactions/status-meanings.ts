import type { TransactionStatus } from './transaction.schema.ts'

/** What each status of a transaction means to the merchant; docs/reference/statuses.md is made of it. */
export const statusMeanings = {
  processing: 'The outcome is not known yet. Wait for the webhook, GET the transaction again, or sync it',
  buyer_approval_pending: 'The buyer has to approve, at `approval_url` or in your page with `session_token`',
  authorization_succeeded: 'The funds are reserved. Capture or void them',
  authorization_declined: 'Not used by Railyard; tolerate it',
  authorization_failed:
    'Nothing is reserved: the payment was declined, failed or was canceled. `error_code` says why',
  authorization_void_pending: 'The payment service has accepted the void and not decided it',
  authorization_voided: 'The reservation was released',
  capture_pending: 'The payment service has accepted the capture and not decided it',
  capture_succeeded: 'The funds are captured. It stays so after refunds; see `refunded_amount`',
} as const satisfies Record<TransactionStatus, string>
