import fc from 'fast-check'
import type { Outcome } from '../../connectors/contract/outcome.ts'
import type { GiftCardTender, Redemption } from '../../gift-cards/redemptions/redemption.ts'
import { newOperation, type OperationOutcome, type OperationRow } from '../../operations/operation.ts'
import type { TransactionRow } from '../transaction.row.ts'

/** A gift card's part of a payment, before its redemption. */
export const redemptionOf = (id: string, more: Partial<Redemption> = {}): Redemption => ({
  id,
  status: 'created',
  amount: 200,
  refunded: 0,
  refund_reserved: 0,
  reference: null,
  error_code: null,
  raw_error_code: null,
  raw_error_message: null,
  gift_card: { id: null, bin: '603600', sub_bin: '000', last4: '0000' },
  sealed: 'sealed',
  stuck: false,
  ...more,
})

export const giftCardsOf = (...redemptions: Redemption[]): GiftCardTender => ({
  service: { id: 's', gift_card_service_definition_id: 'mock-gift-card', display_name: 'Gift cards' },
  redemptions,
})

/** A payment by card for 1000, before its first operation has an outcome. */
export const paymentOf = (more: Partial<TransactionRow> = {}): TransactionRow =>
  ({
    merchant_account_id: 'm',
    id: 't',
    status: 'processing',
    intent: 'authorize',
    intent_outcome: 'pending',
    amount: 1000,
    authorized_amount: 0,
    captured_amount: 0,
    refunded_amount: 0,
    capture_reserved: 0,
    refund_reserved: 0,
    capture_closed: false,
    pending_review: false,
    active_operation_id: null,
    payment_method: { method: 'card' },
    payment_service_id: 'p',
    approval: null,
    gift_cards: null,
    details: {},
    currency: 'EUR',
    ...more,
  }) as TransactionRow

export const operationOf = (
  kind: OperationRow['kind'],
  amount: number,
  more: Partial<OperationRow> = {},
): OperationRow =>
  newOperation(
    {
      merchant_account_id: 'm',
      id: 'o',
      transaction_id: 't',
      kind,
      amount,
      currency: 'EUR',
      payment_service_id: 'p',
      check_at: null,
      created_at: '',
    },
    more,
  )

export const approved = (amount: number, operation?: string): OperationOutcome => ({
  status: 'approved',
  amount,
  facts: {},
  references: operation === undefined ? {} : { operation },
})
export const declined = {
  status: 'declined',
  code: 'insufficient_funds',
  facts: {},
  references: {},
} as const satisfies OperationOutcome
export const failed = {
  status: 'failed',
  code: 'service_error',
  facts: {},
  references: {},
} as const satisfies OperationOutcome
export const pending = { status: 'pending', facts: {}, references: {} } as const satisfies OperationOutcome
export const unknown = { status: 'unknown', reason: 'lost' } as const satisfies OperationOutcome

/** An outcome that ends an operation. */
export const finalOutcome = fc.constantFrom<Outcome['status']>('approved', 'declined', 'failed')
