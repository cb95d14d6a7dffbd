import { type Static, Type } from 'typebox'
import {
  Closed,
  Described,
  Erasable,
  Open,
  Personal,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../../api/schema.ts'
import {
  AgenticAddress,
  aboutBuyer,
  checkoutTerms,
  MinorUnits,
  ProtocolCurrency,
  selectedOptions,
  Uri,
  Word,
} from '../protocol-parts.schema.ts'

// what platforms send (agentic_checkout, 2026-04-17)

export const checkoutParams = Type.Object({
  checkout_session_id: Described(Uuid, 'The checkout session'),
})

/** The document's `Item` has no quantity, and its examples do: it is taken, and is 1 where it is absent. */
const RequestedItem = Closed('AgenticRequestedItem', {
  id: Described(Word, 'The merchant’s id of the item'),
  name: Type.Optional(Text(1, 500)),
  unit_amount: Type.Optional(
    Described(MinorUnits, 'What the platform believes it costs; the merchant decides'),
  ),
  quantity: Type.Optional(
    Described(Type.Integer({ minimum: 1, maximum: 1_000_000 }), 'How many; one where it is absent'),
  ),
})

const items = Type.Array(RequestedItem, { minItems: 1, maxItems: 250 })
const codes = Type.Array(Word, { maxItems: 20 })

const discounts = {
  coupons: Type.Optional(Described(codes, 'Deprecated by the protocol: `discounts.codes`')),
  discounts: Type.Optional(Closed('AgenticDiscountsRequest', { codes: Type.Optional(codes) })),
}

/** Credits a publisher. The merchant gets it with the same request, and Railyard does not keep it. */
const AffiliateAttribution = Type.Object(
  {
    provider: Word,
    token: Type.Optional(Text(1, 2_048)),
    publisher_id: Type.Optional(Word),
    campaign_id: Type.Optional(Word),
    creative_id: Type.Optional(Word),
    sub_id: Type.Optional(Word),
    source: Type.Optional(
      Closed('AgenticAttributionSource', {
        type: Words('url', 'platform', 'unknown'),
        url: Type.Optional(Uri),
      }),
    ),
    issued_at: Type.Optional(Timestamp),
    expires_at: Type.Optional(Timestamp),
    metadata: Type.Optional(Open),
    touchpoint: Type.Optional(Words('first', 'last')),
  },
  { title: 'AgenticAffiliateAttribution', additionalProperties: true },
)
const attribution = { affiliate_attribution: Type.Optional(AffiliateAttribution) }

const interventions = Words('3ds', 'biometric', 'address_verification')

const Capabilities = Closed('AgenticCapabilitiesRequest', {
  payment: Type.Optional(Open),
  interventions: Type.Optional(
    Closed('AgenticInterventionsRequest', {
      supported: Type.Optional(Type.Array(interventions, { maxItems: 10 })),
      required: Type.Optional(Type.Array(interventions, { maxItems: 10 })),
      enforcement: Type.Optional(Words('always', 'conditional', 'optional')),
      display_context: Type.Optional(Words('native', 'webview', 'modal', 'redirect')),
      redirect_context: Type.Optional(Words('in_app', 'external_browser', 'none')),
      max_redirects: Type.Optional(Type.Integer({ minimum: 0 })),
      max_interaction_depth: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  extensions: Type.Optional(Type.Array(Type.Union([Word, Open]), { maxItems: 50 })),
})

export const AgenticCheckoutCreate = Closed('AgenticCheckoutCreate', {
  line_items: Described(items, 'The items of the cart'),
  currency: Described(ProtocolCurrency, 'ISO 4217'),
  capabilities: Described(Capabilities, 'What the platform can do'),
  ...aboutBuyer,
  ...discounts,
  ...checkoutTerms,
  ...attribution,
})
export type AgenticCheckoutCreate = Static<typeof AgenticCheckoutCreate>

export const AgenticCheckoutUpdate = Closed('AgenticCheckoutUpdate', {
  line_items: Type.Optional(Described(items, 'Replaces the items of the cart')),
  ...aboutBuyer,
  selected_fulfillment_options: selectedOptions,
  ...discounts,
})
export type AgenticCheckoutUpdate = Static<typeof AgenticCheckoutUpdate>

const PaymentData = Closed('AgenticPaymentData', {
  handler_id: Type.Optional(Described(Word, 'A handler of the checkout session’s `capabilities`')),
  instrument: Type.Optional(
    Type.Object(
      {
        type: Described(Word, 'Such as card'),
        credential: Type.Object(
          {
            type: Described(Word, 'Such as vault_token'),
            token: Described(Text(1, 255), 'The token of `POST /agentic_commerce/delegate_payment`'),
          },
          { title: 'AgenticCredential', additionalProperties: true },
        ),
      },
      { title: 'AgenticInstrument', additionalProperties: true },
    ),
  ),
  billing_address: Type.Optional(Personal(Described(AgenticAddress, 'In place of the one of the token'))),
  purchase_order_number: Type.Optional(Word),
  payment_terms: Type.Optional(Words('immediate', 'net_15', 'net_30', 'net_60', 'net_90')),
  due_date: Type.Optional(Timestamp),
  approval_required: Type.Optional(Type.Boolean()),
})
export type PaymentData = Static<typeof PaymentData>

const AuthenticationResult = Closed('AgenticAuthenticationResult', {
  outcome: Words(
    'abandoned',
    'attempt_acknowledged',
    'authenticated',
    'canceled',
    'denied',
    'informational',
    'internal_error',
    'not_supported',
    'processing_error',
    'rejected',
  ),
  outcome_details: Type.Optional(
    Closed('AgenticAuthenticationDetails', {
      three_ds_cryptogram: Text(1, 100),
      electronic_commerce_indicator: Words('01', '02', '05', '06', '07'),
      transaction_id: Text(1, 100),
      version: Type.String({ pattern: '^[12](\\.\\d+){0,2}$' }),
    }),
  ),
})
export type AuthenticationResult = Static<typeof AuthenticationResult>

export const AgenticCheckoutComplete = Closed('AgenticCheckoutComplete', {
  payment_data: Described(PaymentData, 'What pays'),
  buyer: aboutBuyer.buyer,
  authentication_result: Type.Optional(
    Described(AuthenticationResult, 'The platform’s 3-D Secure authentication of the cardholder'),
  ),
  risk_signals: Type.Optional(
    Erasable(
      Described(
        Closed('AgenticRiskSignals', {
          ip_address: Type.Optional(Text(1, 45)),
          user_agent: Type.Optional(Text(0, 1_000)),
          accept_language: Type.Optional(Text(0, 255)),
          session_id: Type.Optional(Word),
          device_fingerprint: Type.Optional(Text(0, 1_000)),
        }),
        'The buyer’s device. The payment gets the IP address; Railyard does not keep the rest',
      ),
    ),
  ),
  marketing_consents: Type.Optional(
    Described(
      Type.Array(Closed('AgenticConsent', { channel: Word, opted_in: Type.Boolean() }), { maxItems: 10 }),
      'The merchant gets them when the checkout is confirmed; Railyard does not keep them',
    ),
  ),
  ...attribution,
})
export type AgenticCheckoutComplete = Static<typeof AgenticCheckoutComplete>

export const AgenticCheckoutCancel = Type.Union([
  Closed('AgenticCheckoutCancel', {
    intent_trace: Type.Optional(
      Closed('AgenticIntentTrace', {
        reason_code: Described(Word, 'Why the buyer does not buy'),
        trace_summary: Type.Optional(Text(0, 500)),
        metadata: Type.Optional(Open),
      }),
    ),
  }),
  Type.Null(),
])
export type AgenticCheckoutCancel = Static<typeof AgenticCheckoutCancel>

/** What the last update of the cart, the buyer and where it is sent has left, as the merchant gets it. */
export type CheckoutRequest = Omit<AgenticCheckoutCreate, 'affiliate_attribution'> &
  Pick<AgenticCheckoutUpdate, 'selected_fulfillment_options'>
