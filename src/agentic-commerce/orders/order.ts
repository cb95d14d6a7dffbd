import { timestamp } from '../../database/timestamp.ts'
import type { TransactionStatus } from '../../transactions/transaction.schema.ts'
import type { AgenticCheckoutRow } from '../checkouts/checkout.store.ts'
import type { AgenticOrder } from './order.schema.ts'

/** What an order shows of its payment, with the payment's refunds and disputes, the oldest first. */
export interface OrderPayment {
  status: TransactionStatus
  pending_review: boolean
  captured_amount: number
  refunded_amount: number
  refunds: readonly Adjustment[]
  disputes: readonly Adjustment[]
}

interface Adjustment {
  id: string
  amount: number
  currency: string
  status: string
  at: string
}

const paid: readonly TransactionStatus[] = [
  'authorization_succeeded',
  'capture_succeeded',
  'capture_pending',
  'authorization_void_pending',
]

function statusOf({
  status,
  pending_review,
  captured_amount,
  refunded_amount,
}: OrderPayment): AgenticOrder['status'] {
  if (!paid.includes(status)) return 'canceled'
  if (captured_amount > 0 && refunded_amount >= captured_amount) return 'canceled'
  return pending_review ? 'manual_review' : 'confirmed'
}

/** By the status of the refund or the dispute; `pending` where it is absent. A dispute that is won takes nothing. */
const adjustmentStatuses: Readonly<Record<string, 'completed' | 'failed'>> = {
  approved: 'completed',
  declined: 'failed',
  failed: 'failed',
  lost: 'completed',
  accepted: 'completed',
  won: 'failed',
  closed: 'failed',
}

const showAdjustment = (type: 'refund' | 'dispute', { id, amount, currency, status, at }: Adjustment) => ({
  id,
  type,
  occurred_at: timestamp(at),
  status: adjustmentStatuses[status] ?? ('pending' as const),
  amount,
  currency: currency.toLowerCase(),
})

/** The order of a checkout, from the state of its payment: the protocol sends orders whole. */
export function showOrder(
  { id, order, price }: Pick<AgenticCheckoutRow, 'id' | 'order' | 'price'>,
  payment: OrderPayment,
): AgenticOrder {
  if (!order) throw new Error(`agentic checkout ${id} has a payment and no order`)
  const status = statusOf(payment)
  return {
    type: 'order',
    ...order,
    checkout_session_id: id,
    status,
    line_items: price.line_items.map(
      ({ id: line, item, name, product_id, quantity, unit_amount, totals }) => {
        const unit = unit_amount ?? item.unit_amount
        return {
          id: line,
          title: name ?? item.name ?? item.id,
          product_id: product_id ?? item.id,
          quantity: { ordered: quantity, current: status === 'canceled' ? 0 : quantity },
          ...(unit !== undefined && { unit_price: unit }),
          totals,
        }
      },
    ),
    adjustments: [
      ...payment.refunds.map((refund) => showAdjustment('refund', refund)),
      ...payment.disputes.map((dispute) => showAdjustment('dispute', dispute)),
    ],
    totals: [
      ...price.totals,
      ...(payment.refunded_amount > 0
        ? [{ type: 'amount_refunded' as const, display_text: 'Refunded', amount: payment.refunded_amount }]
        : []),
    ],
  }
}
