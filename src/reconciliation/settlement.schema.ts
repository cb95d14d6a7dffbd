import { type Static, Type } from 'typebox'
import { Closed, Currency, Nullable, Timestamp, Uuid } from '../api/schema.ts'

/** The members of each line of a settlement report, besides its `type`. */
const members = {
  id: Uuid,
  merchant_account_id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  posted_at: Timestamp,
  ingested_at: Timestamp,
  currency: Currency,
  amount: Type.Integer(),
  exchange_rate: Nullable(Type.Number()),
  commission: Type.Integer(),
  interchange: Nullable(Type.Integer()),
  markup: Nullable(Type.Integer()),
  scheme_fee: Nullable(Type.Integer()),
  payment_service_report_id: Uuid,
  payment_service_report_file_ids: Type.Array(Uuid),
  transaction_id: Uuid,
}

export const Settlement = Closed('Settlement', { ...members, type: Type.Literal('settlement') })
export type Settlement = Static<typeof Settlement>

export const Settlements = Closed('Settlements', { items: Type.Array(Settlement) })
export type Settlements = Static<typeof Settlements>

export const RefundSettlement = Closed('RefundSettlement', {
  ...members,
  type: Type.Literal('refund-settlement'),
  refund_id: Uuid,
})
export type RefundSettlement = Static<typeof RefundSettlement>

export const Chargeback = Closed('Chargeback', { ...members, type: Type.Literal('chargeback') })
export type Chargeback = Static<typeof Chargeback>

export const Chargebacks = Closed('Chargebacks', { items: Type.Array(Chargeback) })
export type Chargebacks = Static<typeof Chargebacks>

export const ChargebackReversal = Closed('ChargebackReversal', {
  ...members,
  type: Type.Literal('chargeback-reversal'),
})
export type ChargebackReversal = Static<typeof ChargebackReversal>

export const ChargebackReversals = Closed('ChargebackReversals', { items: Type.Array(ChargebackReversal) })
export type ChargebackReversals = Static<typeof ChargebackReversals>
