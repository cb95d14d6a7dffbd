import { timestamp } from '../database/timestamp.ts'
import { showBuyer, showPaymentMethod } from '../transactions/views/transaction.representation.ts'
import type { PayoutRow } from './payout.row.ts'
import type { PayoutSummary } from './payout.schema.ts'

export function showPayout(row: PayoutRow): PayoutSummary {
  const { payment_service: service, merchant } = row
  return {
    type: 'payout',
    id: row.id,
    merchant_account_id: row.merchant_account_id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    payment_method: showPaymentMethod(row.payment_method),
    payment_service: {
      type: 'payment-service',
      id: row.payment_service_id,
      method: 'card',
      payment_service_definition_id: service.payment_service_definition_id,
      display_name: service.display_name,
    },
    payment_service_payout_id: row.payment_service_payout_id,
    buyer: row.buyer && showBuyer(row.buyer),
    merchant: merchant && { type: 'merchant', ...merchant, address: merchant.address ?? null },
    category: row.category,
    external_identifier: row.external_identifier,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}
