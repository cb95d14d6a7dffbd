import { type DeclineAdvice, declineAdviceOn } from '../../checkout/decline-advice.ts'
import { MAX_LINK_DECLINES } from '../../operations/journal/functions/payment-link.sql.ts'
import { withTransactionStatus } from '../../transactions/approval/return.routes.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import { findTransaction } from '../../transactions/transaction.store.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'

/** The state of a link, as its page shows it. */
export type LinkState =
  | { state: 'open' }
  /** It can be paid; the last attempt has failed. */
  | { state: 'declined'; advice: DeclineAdvice }
  /** A payment is under way, and its outcome is not known yet. */
  | { state: 'processing' }
  /** A payment waits for the buyer's approval at the URL `next`. */
  | { state: 'approval'; next: string }
  /**
   * `next`: the merchant's return URL; null: the link's own page says thank you. `payment`: null if it is not kept
   * any more (`RETENTION_MONTHS`).
   */
  | { state: 'completed'; next: string | null; payment: TransactionRow | null }
  | { state: 'expired' }
  /** It has expired after the maximum of declined payments. */
  | { state: 'exhausted' }

/** The state as the page's script gets it: without the payment. */
export type ScriptLinkState =
  | Exclude<LinkState, { state: 'completed' }>
  | { state: 'completed'; next: string | null }

export const toScriptState = (state: LinkState): ScriptLinkState =>
  state.state === 'completed' ? { state: state.state, next: state.next } : state

/**
 * The state of a link. `attempt`: the transaction from whose approval the buyer returns; null: the buyer has
 * opened the link.
 */
export async function readLinkState(
  world: World,
  link: PaymentLinkRow,
  attempt: string | null,
): Promise<LinkState> {
  const { status, merchant_account_id: account, transaction_id: id } = link
  if (isExhausted(link)) return { state: 'exhausted' }
  if (status === 'expired') return { state: 'expired' }
  const payment = id === null ? undefined : await findTransaction(world, account, id)
  if (status === 'completed')
    return payment ? completed(link, payment) : { state: 'completed', next: null, payment: null }
  if (!payment) return { state: 'open' }
  if (status === 'processing') return stateOfPayment(link, payment)
  return payment.id === attempt && isFailed(payment) ? stateOfPayment(link, payment) : { state: 'open' }
}

/** The state of the link that follows from a payment through it. */
export function stateOfPayment(link: PaymentLinkRow, payment: TransactionRow): LinkState {
  const { status, approval, error_code } = payment
  if (status === 'processing') return { state: 'processing' }
  if (status === 'buyer_approval_pending')
    return approval?.url ? { state: 'approval', next: approval.url } : { state: 'processing' }
  return isFailed(payment)
    ? { state: 'declined', advice: declineAdviceOn(error_code) }
    : completed(link, payment)
}

export const isExhausted = ({ status, declines }: PaymentLinkRow): boolean =>
  status === 'expired' && declines >= MAX_LINK_DECLINES

const isFailed = ({ status }: TransactionRow) =>
  status === 'authorization_failed' || status === 'authorization_declined'

function completed({ details }: PaymentLinkRow, payment: TransactionRow): LinkState {
  const returnUrl = details.return_url ?? null
  return { state: 'completed', next: returnUrl && withTransactionStatus(returnUrl, payment), payment }
}
