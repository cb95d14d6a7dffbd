import { type Static, Type } from 'typebox'
import type { Transaction, TransactionSummary } from '../transactions/transaction.schema.ts'
import { AnyText, marked } from './untrusted.ts'

const Text = Type.Union([AnyText, Type.Null()])
const Word = Type.Union([Type.String(), Type.Null()])

/** What tools tell of a payment. */
export const PaymentSummary = Type.Object({
  id: Type.String(),
  status: AnyText,
  amount: Type.Integer({ description: 'In the smallest unit of the currency: 1299 is 12.99 USD' }),
  currency: AnyText,
  authorized_amount: Type.Integer(),
  captured_amount: Type.Integer(),
  refunded_amount: Type.Integer(),
  disputed: Type.Boolean(),
  error_code: Text,
  method: Text,
  card: Type.Union([Type.Object({ scheme: Text, last4: Text, expires: Text, issuer: Text }), Type.Null()]),
  payment_service: Type.Union([Type.Object({ id: Word, definition: Text, display_name: Text }), Type.Null()]),
  buyer: Type.Union([
    Type.Object({ id: Word, display_name: Text, email_address: Text, external_identifier: Text }),
    Type.Null(),
  ]),
  external_identifier: Text,
  reconciliation_id: Type.String({ description: 'The reference on the buyer’s receipt' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type PaymentSummary = Static<typeof PaymentSummary>

/** A payment as tools show it; texts of buyers and merchants are marked. */
export function summaryOf(payment: Transaction | TransactionSummary): PaymentSummary {
  const { payment_method: method, payment_service: service, buyer } = payment
  return {
    id: payment.id,
    reconciliation_id: payment.reconciliation_id,
    amount: payment.amount,
    authorized_amount: payment.authorized_amount,
    captured_amount: payment.captured_amount,
    refunded_amount: payment.refunded_amount,
    disputed: payment.disputed,
    created_at: payment.created_at,
    updated_at: payment.updated_at,
    ...marked({
      status: payment.status,
      currency: payment.currency,
      error_code: payment.error_code,
      method: payment.method,
      external_identifier: payment.external_identifier,
    }),
    card:
      method?.method === 'card'
        ? {
            ...marked({ scheme: method.scheme }),
            ...marked({
              last4: method.label,
              expires: method.expiration_date,
              issuer: method.details?.card_issuer_name ?? null,
            }),
          }
        : null,
    payment_service: service && {
      id: service.id,
      definition: marked({ payment_service_definition_id: service.payment_service_definition_id })
        .payment_service_definition_id,
      display_name: marked(service.display_name),
    },
    buyer: buyer && {
      id: buyer.id,
      ...marked({
        display_name: buyer.display_name,
        email_address: buyer.billing_details?.email_address ?? null,
        external_identifier: buyer.external_identifier,
      }),
    },
  }
}
