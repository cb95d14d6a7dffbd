import { type Static, Type } from 'typebox'
import { Closed, Described, Text, Timestamp, Words } from '../../api/schema.ts'
import { AgenticOrder } from '../orders/order.schema.ts'
import { pricedParts } from '../prices/price.schema.ts'
import { aboutBuyer, checkoutTerms, Uri } from '../protocol-parts.schema.ts'

const PaymentHandler = Closed('AgenticPaymentHandler', {
  id: Type.String(),
  name: Type.String(),
  display_name: Type.String(),
  version: Type.String(),
  spec: Type.String(),
  requires_delegate_payment: Type.Boolean(),
  requires_pci_compliance: Type.Boolean(),
  psp: Type.String(),
  config_schema: Type.String(),
  instrument_schemas: Type.Array(Type.String()),
  config: Closed('AgenticHandlerConfig', {
    merchant_id: Described(Type.String(), 'The `merchant_id` of the allowance'),
    psp: Type.String(),
    environment: Type.String(),
  }),
})

const checkout = {
  id: Type.String(),
  protocol: Closed('AgenticProtocol', { version: Described(Type.String(), 'The version of the protocol') }),
  capabilities: Closed('AgenticCapabilities', {
    payment: Closed('AgenticPaymentCapabilities', { handlers: Type.Array(PaymentHandler) }),
    interventions: Closed('AgenticInterventions', { supported: Type.Array(Type.String()) }),
  }),
  status: Described(
    Words(
      'not_ready_for_payment',
      'ready_for_payment',
      'complete_in_progress',
      'requires_escalation',
      'completed',
      'canceled',
      'expired',
    ),
    '`requires_escalation`: the card’s issuer asks for the buyer, at `continue_url`',
  ),
  currency: Type.String(),
  ...aboutBuyer,
  ...pricedParts,
  ...checkoutTerms,
  continue_url: Type.Optional(Described(Uri, 'Where the buyer goes on')),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Described(Timestamp, 'Until when it can be completed'),
}

export const AgenticCheckout = Closed('AgenticCheckout', {
  ...checkout,
  order: Type.Optional(Described(AgenticOrder, 'Once it is completed')),
})
export type AgenticCheckout = Static<typeof AgenticCheckout>

export const CompletedAgenticCheckout = Closed('CompletedAgenticCheckout', {
  ...checkout,
  status: Type.Literal('completed'),
  order: AgenticOrder,
})
export type CompletedAgenticCheckout = Static<typeof CompletedAgenticCheckout>

export const CheckoutError = Closed('AgenticCheckoutError', {
  type: Words('invalid_request', 'processing_error', 'service_unavailable'),
  code: Described(Type.String(), 'Which error it is'),
  message: Described(Type.String(), 'What is wrong, for a developer'),
  param: Type.Optional(Described(Text(1, 1_000), 'The member that is wrong, as a JSONPath')),
})
export type CheckoutError = Static<typeof CheckoutError>
