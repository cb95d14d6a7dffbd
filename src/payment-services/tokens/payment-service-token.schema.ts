import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, RedirectUrl, Text, Timestamp, Uuid } from '../../api/schema.ts'
import { PaymentMethodStatus } from '../../vault/payment-methods/payment-method.schema.ts'

export const PaymentServiceToken = Closed('PaymentServiceToken', {
  type: Type.Literal('payment-service-token'),
  id: Uuid,
  approval_url: Nullable(Type.String()),
  payment_method_id: Uuid,
  payment_service_id: Uuid,
  status: Described(PaymentMethodStatus, '`processing` until the payment service has answered'),
  token: Described(Nullable(Text(1, 10_000)), 'Null until it succeeded'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PaymentServiceToken = Static<typeof PaymentServiceToken>

export const PaymentServiceTokens = Type.Object(
  { items: Type.Array(PaymentServiceToken) },
  { title: 'PaymentServiceTokens' },
)

export const PaymentServiceTokenCreate = Closed('PaymentServiceTokenCreate', {
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }))),
  payment_service_id: Uuid,
  redirect_url: RedirectUrl,
})
export type PaymentServiceTokenCreate = Static<typeof PaymentServiceTokenCreate>
