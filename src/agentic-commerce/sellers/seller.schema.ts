import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'

const Url = Type.String({ maxLength: 2048 })
const intent = Words('authorize', 'capture')

export const AgenticSeller = Closed('AgenticSeller', {
  type: Type.Literal('agentic-seller'),
  id: Uuid,
  merchant_account_id: Type.String(),
  pricing_url: Described(Url, 'Your endpoint that prices carts'),
  secret: Nullable(Described(Type.String(), 'Signs the requests to `pricing_url`')),
  intent: Described(intent, 'Whether payments are authorized alone, or captured at once'),
  order_events: Nullable(
    Described(
      Closed('AgenticOrderEvents', {
        url: Url,
        active: Described(Type.Boolean(), 'False: its receiver has failed for seven days'),
        webhook_subscription_id: Described(Uuid, 'Whose deliveries they are'),
      }),
      'Where the platform is told of orders; null: nowhere',
    ),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type AgenticSeller = Static<typeof AgenticSeller>

export const AgenticSellerUpdate = Closed('AgenticSellerUpdate', {
  pricing_url: Described(Url, 'HTTPS, on the public network; in the sandbox also HTTP on a loopback host'),
  intent: Type.Optional({ ...intent, default: 'capture' }),
  order_events: Type.Optional(
    Nullable(
      Closed('AgenticOrderEventsUpdate', {
        url: Described(Url, 'The platform’s receiver of order events'),
        secret: Type.Optional(
          Nullable(
            Described(
              Text(16, 500),
              'The platform’s secret, with which events are signed; absent or null: as it is. It is never answered',
            ),
          ),
        ),
      }),
    ),
  ),
})
export type AgenticSellerUpdate = Static<typeof AgenticSellerUpdate>
