import { type Static, Type } from 'typebox'
import {
  Amount,
  Closed,
  Described,
  Nullable,
  Page,
  Personal,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { BillingDetails, ShippingDetails } from '../../buyers/buyer.schema.ts'
import { Airline } from '../../checkout/airline.schema.ts'
import { CartItem } from '../../checkout/cart-item.schema.ts'
import { actionAnswer } from '../actions/action-answer.schema.ts'

export const CaptureStatus = Words('succeeded', 'pending', 'declined', 'failed')
export type CaptureStatus = Static<typeof CaptureStatus>

export const TransactionCaptureCreate = Closed('TransactionCaptureCreate', {
  amount: Type.Optional(
    Nullable(Described(Amount, 'In the smallest unit of the currency; absent: everything that is left')),
  ),
  airline: Type.Optional(Nullable(Airline)),
  cart_items: Type.Optional(Nullable(Type.Array(CartItem))),
  final: Type.Optional(
    Type.Boolean({
      description: 'Default true: what is not captured is released. False keeps the rest for another capture',
    }),
  ),
  external_identifier: Type.Optional(Nullable(Text(1, 300))),
  reauthorize_if_authorization_expired: Type.Optional(Type.Boolean()),
})
export type TransactionCaptureCreate = Static<typeof TransactionCaptureCreate>

export const TransactionCapture = Closed('TransactionCapture', {
  ...actionAnswer('transaction-capture', CaptureStatus),
  capture_id: Nullable(Uuid),
  payment_service_capture_id: Nullable(Type.String()),
  external_identifier: Nullable(Type.String()),
  billing_details: Personal(Nullable(BillingDetails)),
  shipping_details: Personal(Nullable(ShippingDetails)),
})
export type TransactionCapture = Static<typeof TransactionCapture>

export const Capture = Closed('Capture', {
  type: Type.Literal('capture'),
  id: Uuid,
  merchant_account_id: Type.String(),
  transaction_id: Uuid,
  xid: Nullable(Type.String()),
  currency: Type.String(),
  amount: Type.Integer(),
  status: CaptureStatus,
  final: Type.Boolean({ description: 'Whether it ended the authorization' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  captured_at: Nullable(Timestamp),
  external_identifier: Nullable(Type.String()),
  error_code: Nullable(Type.String()),
  iso_response_code: Nullable(Type.String()),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  transaction_external_identifier: Nullable(Type.String()),
  cart_items: Nullable(Type.Array(CartItem)),
})
export type Capture = Static<typeof Capture>

export const Captures = Page('Captures', Capture)
export type Captures = Static<typeof Captures>
