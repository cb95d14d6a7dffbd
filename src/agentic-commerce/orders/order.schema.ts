import { type Static, Type } from 'typebox'
import { Closed, Described, Text, Timestamp, Words } from '../../api/schema.ts'
import { AgenticOrderReference } from '../prices/price.schema.ts'
import { AgenticTotal, MinorUnits, Word } from '../protocol-parts.schema.ts'

export const AgenticOrder = Closed('AgenticOrder', {
  type: Type.Literal('order'),
  ...AgenticOrderReference.properties,
  checkout_session_id: Described(Type.String(), 'The checkout session that made it'),
  status: Described(
    Words('confirmed', 'manual_review', 'canceled'),
    'What has become of the payment: `confirmed` once it is authorized or captured, `manual_review` while a review is pending, `canceled` once it was voided or refunded whole',
  ),
  line_items: Type.Array(
    Closed('AgenticOrderLine', {
      id: Word,
      title: Text(1, 500),
      product_id: Type.Optional(Word),
      quantity: Closed('AgenticOrderQuantity', {
        ordered: Type.Integer({ minimum: 1 }),
        current: Type.Integer({ minimum: 0 }),
      }),
      unit_price: Type.Optional(MinorUnits),
      totals: Type.Array(AgenticTotal),
    }),
  ),
  adjustments: Described(
    Type.Array(
      Closed('AgenticAdjustment', {
        id: Word,
        type: Words('refund', 'dispute'),
        occurred_at: Timestamp,
        status: Words('pending', 'completed', 'failed'),
        amount: MinorUnits,
        currency: Type.String({ pattern: '^[a-z]{3}$' }),
      }),
    ),
    'Refunds and disputes of the payment',
  ),
  totals: Type.Array(AgenticTotal),
})
export type AgenticOrder = Static<typeof AgenticOrder>
