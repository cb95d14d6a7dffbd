import type { Transaction } from '../../../transactions/transaction.schema.ts'

/** What can be done with a payment now. The API decides when it is done: another request may come first. */
export interface NextStep {
  /** A tool of this server, or `wait` or `people` where no tool does it. */
  with: string
  what: string
  /** The most that can be moved, in the smallest unit of the currency; null: no amount belongs to it. */
  at_most: number | null
}

const step = (tool: string, what: string, at_most: number | null = null): NextStep => ({
  with: tool,
  what,
  at_most,
})

export function nextStepsOf(payment: Transaction): NextStep[] {
  const { status, authorized_amount, captured_amount, refunded_amount, disputed_amount } = payment
  const refundable = captured_amount - refunded_amount - disputed_amount
  const capturable = authorized_amount - captured_amount
  const steps: NextStep[] = []
  if (status === 'authorization_succeeded') {
    if (payment.pending_review) steps.push(step('people', 'Decide the review, at the anti-fraud service'))
    else steps.push(step('capture_payment', 'Take the reserved money, or a part of it', capturable))
    if (captured_amount === 0) steps.push(step('void_payment', 'Release the reserved money'))
  }
  if (refundable > 0) steps.push(step('refund_payment', 'Give money back to the buyer', refundable))
  if (disputed_amount > 0)
    steps.push(
      step(
        'people',
        'Answer the dispute with evidence, or accept it, in the dashboard. Do not refund what is disputed: the buyer would get it twice',
      ),
    )
  if (
    status === 'authorization_failed' ||
    status === 'authorization_declined' ||
    status === 'authorization_voided'
  )
    steps.push(
      step('create_payment_link', 'Let the buyer pay again, with another method, by a link', payment.amount),
    )
  if (status === 'buyer_approval_pending')
    steps.push(step('wait', 'The buyer can still approve it; ask again with explain_payment'))
  if (['processing', 'capture_pending', 'authorization_void_pending'].includes(status))
    steps.push(step('wait', 'Railyard finds out the outcome by itself; ask again with explain_payment'))
  return steps
}
