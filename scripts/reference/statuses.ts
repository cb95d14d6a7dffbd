import type { Static } from 'typebox'
import type { WebhookDeliveryStatus } from '../../src/events/delivery/webhook-delivery.schema.ts'
import type { GiftCardRedemptionStatus } from '../../src/gift-cards/redemptions/redemption.schema.ts'
import type { OperationStatus } from '../../src/operations/operation.ts'
import type { PaymentLinkStatus } from '../../src/payment-links/payment-link.schema.ts'
import type { PayoutStatus } from '../../src/payouts/payout.schema.ts'
import type { ThreeDSecureStatus } from '../../src/three-d-secure/three-d-secure.schema.ts'
import { transitions } from '../../src/transactions/status.ts'
import { statusMeanings } from '../../src/transactions/status-meanings.ts'
import type { TransactionIntentOutcome } from '../../src/transactions/transaction.schema.ts'
import type { CaptureStatus } from '../../src/transactions/views/capture.schema.ts'
import type { RefundStatus } from '../../src/transactions/views/refund.schema.ts'
import type { NetworkTokenStatus } from '../../src/vault/network-tokens/network-token.schema.ts'
import type { PaymentMethodStatus } from '../../src/vault/payment-methods/payment-method.schema.ts'
import { code, page, table } from './markdown.ts'

type Meanings<Status extends string> = Readonly<Record<Status, string>>

const intentOutcomes: Meanings<TransactionIntentOutcome> = {
  pending: 'A part of the payment is not decided',
  succeeded: 'Every part was authorized or sold as wanted; it stays so after a void or a refund',
  failed: 'A part was declined or failed; the others were given back',
}
const captures: Meanings<CaptureStatus> = {
  succeeded: 'The funds are captured',
  pending: 'Accepted by the payment service and not decided, or without an answer yet',
  declined: 'The payment service refused',
  failed: 'It failed for a technical reason',
}
const refunds: Meanings<RefundStatus> = {
  processing: 'Accepted and not decided, or without an answer yet; its amount is reserved',
  succeeded: 'The money is on its way to the buyer',
  failed: 'It failed for a technical reason; the amount can be refunded again',
  declined: 'The payment service refused; the amount can be refunded again',
  voided: 'Not used by Railyard; tolerate it',
}
const payouts: Meanings<PayoutStatus> = {
  pending: 'Accepted and not decided, or without an answer yet',
  succeeded: 'The money is on its way to the card',
  declined: 'The payment service refused',
  failed: 'It failed for a technical reason',
}
const paymentLinks: Meanings<PaymentLinkStatus> = {
  active: 'It can be paid',
  processing: 'A payment is in progress; another cannot begin',
  completed: 'It was paid',
  expired: 'Its time is over, or you expired it',
}
const paymentMethods: Meanings<PaymentMethodStatus> = {
  processing: 'It can be used and has not paid yet',
  buyer_approval_required: 'The buyer has to approve at `approval_url`',
  succeeded: 'It has paid, or its approval was given',
  failed: 'No payment service could process it',
  paused: 'Its mandate is suspended',
}
const networkTokens: Meanings<Static<typeof NetworkTokenStatus>> = {
  active: 'It can pay',
  inactive: 'The card scheme is deactivating it',
  suspended: 'It was suspended; resume it to use it again',
  deleted: 'It is gone',
}
const redemptions: Meanings<GiftCardRedemptionStatus> = {
  created: 'Not decided yet',
  succeeded: 'The gift card paid its part',
  failed: 'The gift card refused, or its part was given back',
  skipped: 'It was not asked, because another part failed before',
}
const authentications: Meanings<ThreeDSecureStatus> = {
  complete: 'The issuer authenticated the cardholder or attempted to',
  declined: 'The issuer refused to authenticate',
  cancelled: 'The cardholder did not finish the challenge in time',
  error: 'The 3DS server or the issuer failed',
  setup_error: 'The authentication could not be prepared',
}
const deliveries: Meanings<Static<typeof WebhookDeliveryStatus>> = {
  waiting: 'Not delivered yet; it will be sent again',
  succeeded: 'The receiver answered 2xx',
  failed: 'Given up after seven days; retry it by request',
}
/** Rows of the journal; merchants see them as captures, refunds and the timeline. */
const operations: Meanings<OperationStatus> = {
  queued: 'Written to the journal and not sent; recovery sends it',
  sent: 'Written and on its way. It stays `sent` when its process dies; recovery then looks it up',
  unknown: 'It was sent, and no answer came that tells what happened; recovery looks it up',
  pending: 'The payment service accepted it and has not decided',
  approved: 'It took effect',
  declined: 'The payment service or the issuer refused; nothing moved',
  failed: 'It failed for a technical reason; nothing moved',
}

const list = (title: string, meanings: Readonly<Record<string, string>>) =>
  [
    `## ${title}`,
    table(
      ['status', 'meaning'],
      Object.entries(meanings).map(([status, meaning]) => [code(status), meaning]),
    ),
  ].join('\n\n')

/** Every change that `moveTo` allows, as a Mermaid state diagram. */
function stateDiagram(): string {
  const names = Object.keys(transitions)
  const moves = Object.entries(transitions).flatMap(([from, targets]) =>
    targets.map((to) => `  ${from} --> ${to}`),
  )
  const reached = new Set<string>(Object.values(transitions).flat())
  const ends = Object.entries(transitions).flatMap(([from, targets]) =>
    targets.length === 0 && reached.has(from) ? [`  ${from} --> [*]`] : [],
  )
  return ['```mermaid', 'stateDiagram-v2', `  [*] --> ${names[0]}`, ...moves, ...ends, '```'].join('\n')
}

/** docs/reference/statuses.md */
export const statusesPage = () =>
  page(
    '# Statuses',
    'Clients must tolerate values that are not listed here: the API may add some.',
    '## Transaction',
    `\`status\` describes the part of the payment method. Gift cards have [redemptions](#gift-card-redemption) with statuses of their own, and \`intent_outcome\` describes the whole. Every change that Railyard
makes by itself is in \`src/transactions/status.ts\`:`,
    stateDiagram(),
    'A capture or sale that the payment service takes back later leads from `capture_succeeded` back to `authorization_succeeded` (or `capture_pending`, while another capture is), and to `authorization_failed` ([late outcomes](../concepts/unknown-outcomes.md#when-an-outcome-comes-late)).',
    'A person can also correct a status with `PUT /transactions/{id}` ([semantics §0.14](../spec/semantics.md#s0-14)).',
    table(
      ['status', 'meaning'],
      Object.entries(statusMeanings).map(([status, meaning]) => [code(status), meaning]),
    ),
    list('Intent outcome', intentOutcomes),
    list('Capture', captures),
    list('Refund', refunds),
    list('Payout', payouts),
    list('Payment link', paymentLinks),
    list('Stored payment method', paymentMethods),
    list('Network token', networkTokens),
    list('Gift card redemption', redemptions),
    list('3-D Secure', authentications),
    list('Webhook delivery', deliveries),
    list('Operation', operations),
    'Operations are rows of the [journal](../concepts/operations.md). The API shows them as captures, refunds, payouts and lines of the timeline.',
  )
