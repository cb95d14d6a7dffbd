import { type Static, Type } from 'typebox'
import { AntiFraudDecision } from '../anti-fraud/screening.schema.ts'
import {
  Amount,
  CalendarDate,
  CardExpiry,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  MapOf,
  Nullable,
  Page,
  Personal,
  PhoneNumber,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'
import { Address, GuestBuyer, ShippingDetails, TransactionBuyer } from '../buyers/buyer.schema.ts'
import { Airline } from '../checkout/airline.schema.ts'
import { CartItem } from '../checkout/cart-item.schema.ts'
import { DelegatedPayment } from '../checkout/delegated-payments/delegate-payment.schema.ts'
import { TransactionIntent, TransactionPaymentSource } from '../checkout/payment-terms.schema.ts'
import { TransactionConnectionOptions } from '../connectors/contract/connection-options.schema.ts'
import {
  ApprovalTarget,
  CardScheme,
  InstrumentType,
  IntegrationClient,
  Method,
  Mode,
} from '../connectors/contract/method.schema.ts'
import {
  GiftCardRedemption,
  GiftCardService,
  GiftCardTokenTransactionCreate,
  GiftCardTransactionCreate,
} from '../gift-cards/redemptions/redemption.schema.ts'
import {
  ThreeDSecure,
  ThreeDSecureDataV1,
  ThreeDSecureDataV2,
  TransactionThreeDSecureSummary,
} from '../three-d-secure/three-d-secure.schema.ts'
import { PaymentMethodDetailsCard } from '../vault/payment-methods/payment-method.schema.ts'
import {
  ApplePayInput,
  BankInput,
  BnplInput,
  CardInput,
  CheckoutSessionInput,
  ClickToPayCardInput,
  ClickToPayTokenInput,
  DelegatedPaymentInput,
  GooglePayCardInput,
  GooglePayInput,
  NetworkTokenInput,
  PlaidInput,
  ProviderTokenInput,
  RedirectInput,
  StoredMethodInput,
} from '../vault/payment-methods/payment-method-input.schema.ts'

/** The parameters of each route under `/transactions/{transaction_id}`. */
export const transactionParams = Type.Object({ transaction_id: Uuid })

export const TransactionStatus = Words(
  'processing',
  'authorization_succeeded',
  'authorization_declined',
  'authorization_failed',
  'authorization_voided',
  'authorization_void_pending',
  'capture_succeeded',
  'capture_pending',
  'buyer_approval_pending',
)
export type TransactionStatus = Static<typeof TransactionStatus>

export const TransactionIntentOutcome = Words('pending', 'succeeded', 'failed')
export type TransactionIntentOutcome = Static<typeof TransactionIntentOutcome>

export const StatementDescriptor = Closed('StatementDescriptor', {
  name: Type.Optional(Nullable(Text(5, 22))),
  description: Type.Optional(Nullable(Text(5, 22))),
  city: Type.Optional(Nullable(Text(1, 50))),
  country: Type.Optional(Nullable(Country)),
  phone_number: Type.Optional(Nullable(PhoneNumber)),
  url: Type.Optional(Nullable(Text(1, 50))),
  postal_code: Type.Optional(Nullable(Text(1, 50))),
})
export type StatementDescriptor = Static<typeof StatementDescriptor>

export const BrowserInfo = Closed('BrowserInfo', {
  javascript_enabled: Type.Boolean(),
  java_enabled: Type.Boolean(),
  language: Type.String(),
  color_depth: Type.Integer(),
  screen_height: Type.Integer(),
  screen_width: Type.Integer(),
  time_zone_offset: Type.Integer(),
  user_agent: Type.String(),
  user_device: Words('desktop', 'mobile'),
  accept_header: Type.Optional(Nullable(Type.String())),
})
export type BrowserInfo = Static<typeof BrowserInfo>

export const Recipient = Closed('Recipient', {
  first_name: Type.String(),
  last_name: Type.String(),
  address: Type.Optional(Nullable(Address)),
  account_number: Type.Optional(Nullable(Type.String())),
  date_of_birth: Type.Optional(Nullable(CalendarDate)),
})
export type Recipient = Static<typeof Recipient>

/** What another protocol proves of the buyer's order: kept as it is, neither run nor believed. */
export const AgentEvidence = Closed('AgentEvidence', {
  protocol: Described(Text(1, 50), 'The protocol, such as `ap2` or `visa-tap`'),
  kind: Described(Text(1, 50), 'What it is, such as `cart-mandate` or `signature`'),
  content: Described(Erasable(Text(1, 8_192)), 'The mandate or the signature as you received it'),
})
export type AgentEvidence = Static<typeof AgentEvidence>

export const TransactionCreate = Closed('TransactionCreate', {
  amount: Described(Amount, 'In the smallest unit of the currency: 1299 is 12.99 USD'),
  currency: Described(Currency, 'ISO 4217'),
  country: Type.Optional(Nullable(Country)),
  payment_method: Type.Optional(
    Nullable(
      Type.Union([
        CardInput,
        RedirectInput,
        BnplInput,
        StoredMethodInput,
        ApplePayInput,
        ClickToPayTokenInput,
        ClickToPayCardInput,
        GooglePayInput,
        GooglePayCardInput,
        NetworkTokenInput,
        ProviderTokenInput,
        PlaidInput,
        BankInput,
        CheckoutSessionInput,
        DelegatedPaymentInput,
      ]),
    ),
  ),
  buyer: Type.Optional(Nullable(GuestBuyer)),
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  gift_cards: Type.Optional(
    Nullable(Type.Array(Type.Union([GiftCardTransactionCreate, GiftCardTokenTransactionCreate]))),
  ),
  external_identifier: Type.Optional(Nullable(Text(1, 200))),
  intent: Type.Optional(
    Described(
      TransactionIntent,
      'What to ask for: `authorize` (default) holds the money until a capture, `capture` takes it at once',
    ),
  ),
  store: Type.Optional(Type.Boolean()),
  three_d_secure_data: Type.Optional(Nullable(Type.Union([ThreeDSecureDataV1, ThreeDSecureDataV2]))),
  three_d_secure: Type.Optional(Nullable(ThreeDSecure)),
  metadata: Type.Optional(Erasable(Nullable(MapOf(Type.String())))),
  is_subsequent_payment: Type.Optional(Type.Boolean()),
  merchant_initiated: Type.Optional(Type.Boolean()),
  payment_source: Type.Optional(TransactionPaymentSource),
  airline: Type.Optional(Nullable(Airline)),
  description: Type.Optional(Erasable(Nullable(Type.String()))),
  cart_items: Type.Optional(Nullable(Type.Array(CartItem))),
  statement_descriptor: Type.Optional(Nullable(StatementDescriptor)),
  previous_scheme_transaction_id: Type.Optional(Nullable(Text(1, 100))),
  previous_transaction_link_id: Type.Optional(Nullable(Text(1, 100))),
  browser_info: Type.Optional(Personal(Nullable(BrowserInfo))),
  shipping_details_id: Type.Optional(Nullable(Uuid)),
  connection_options: Type.Optional(Personal(Nullable(TransactionConnectionOptions))),
  async_capture: Type.Optional(Type.Boolean()),
  anti_fraud_fingerprint: Type.Optional(Personal(Nullable(Type.String()))),
  payment_service_id: Type.Optional(Nullable(Uuid)),
  account_funding_transaction: Type.Optional(Type.Boolean()),
  allow_partial_authorization: Type.Optional(Type.Boolean()),
  recipient: Type.Optional(Personal(Nullable(Recipient))),
  installment_count: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100 }))),
  tax_amount: Type.Optional(Nullable(Amount)),
  merchant_tax_id: Type.Optional(Nullable(Text(1, 100))),
  purchase_order_number: Type.Optional(Nullable(Text(1, 100))),
  customer_reference_number: Type.Optional(Erasable(Nullable(Text(1, 100)))),
  amount_includes_tax: Type.Optional(Nullable(Type.Boolean())),
  supplier_order_number: Type.Optional(Nullable(Text(1, 100))),
  duty_amount: Type.Optional(Nullable(Amount)),
  shipping_amount: Type.Optional(Nullable(Amount)),
  integration_client: Type.Optional(Nullable(IntegrationClient)),
  approval_expires_at: Type.Optional(Nullable(Timestamp)),
  agent_evidence: Type.Optional(Erasable(Nullable(Type.Array(AgentEvidence, { maxItems: 10 })))),
})
export type TransactionCreate = Static<typeof TransactionCreate>

export const TransactionUpdate = Closed('TransactionUpdate', {
  status: Type.Optional(Nullable(TransactionStatus)),
  amount: Type.Optional(Nullable(Amount)),
  authorized_amount: Type.Optional(Nullable(Amount)),
  captured_amount: Type.Optional(Nullable(Amount)),
  payment_service_transaction_id: Type.Optional(Nullable(Type.String())),
  external_identifier: Type.Optional(Nullable(Text(1, 200))),
  metadata: Type.Optional(Erasable(Nullable(MapOf(Type.String())))),
  connection_options: Type.Optional(Personal(Nullable(TransactionConnectionOptions))),
})
export type TransactionUpdate = Static<typeof TransactionUpdate>

export const TransactionPaymentMethod = Closed('TransactionPaymentMethod', {
  type: Type.Literal('payment-method'),
  approval_url: Erasable(Nullable(Type.String())),
  country: Nullable(Country),
  currency: Nullable(Currency),
  details: Nullable(PaymentMethodDetailsCard),
  expiration_date: Nullable(CardExpiry),
  fingerprint: Erasable(
    Nullable(
      Described(
        Type.String(),
        'The same for the same card within a merchant account; a browser is shown none',
      ),
    ),
  ),
  label: Nullable(Text(0, 320)),
  last_replaced_at: Nullable(Timestamp),
  method: Method,
  mode: Nullable(Mode),
  scheme: Nullable(CardScheme),
  id: Nullable(Uuid),
  approval_target: Nullable(ApprovalTarget),
  external_identifier: Erasable(Nullable(Text(1, 200))),
  payment_account_reference: Erasable(Nullable(Type.String())),
})
export type TransactionPaymentMethod = Static<typeof TransactionPaymentMethod>

export const TransactionPaymentService = Closed('TransactionPaymentService', {
  type: Type.Literal('payment-service'),
  id: Uuid,
  payment_service_definition_id: Text(1, 50),
  method: Method,
  display_name: Type.String(),
})
export type TransactionPaymentService = Static<typeof TransactionPaymentService>

export const AVSResponseCode = Words(
  'match',
  'no_match',
  'partial_match_address',
  'partial_match_postcode',
  'partial_match_name',
  'unavailable',
)
export type AVSResponseCode = Static<typeof AVSResponseCode>

export const CVVResponseCode = Words('match', 'no_match', 'unavailable', 'not_provided')
export type CVVResponseCode = Static<typeof CVVResponseCode>

export const TransactionSummary = Closed('TransactionSummary', {
  type: Type.Literal('transaction'),
  id: Uuid,
  reconciliation_id: Type.String(),
  merchant_account_id: Type.String(),
  currency: Currency,
  amount: Type.Integer({ description: 'What was asked for, in the smallest unit of the currency' }),
  status: Described(
    TransactionStatus,
    'Where the payment stands. `processing`: its outcome is not known yet, ask again with GET or sync',
  ),
  authorized_amount: Type.Integer({ description: 'What the payment service holds or held' }),
  captured_amount: Type.Integer({ description: 'What was taken; refunds do not lessen it' }),
  refunded_amount: Type.Integer({ description: 'What was given back' }),
  settled_currency: Nullable(Currency),
  settled_amount: Type.Integer(),
  settled: Type.Boolean(),
  country: Nullable(Country),
  external_identifier: Nullable(Text(1, 200)),
  intent: Described(TransactionIntent, 'What was asked for'),
  payment_method: Nullable(TransactionPaymentMethod),
  method: Nullable(Method),
  instrument_type: Nullable(InstrumentType),
  error_code: Nullable(Described(Type.String(), 'Why the payment was declined or failed; null otherwise')),
  payment_service: Nullable(TransactionPaymentService),
  pending_review: Type.Boolean(),
  buyer: Nullable(TransactionBuyer),
  raw_response_code: Nullable(Type.String()),
  raw_response_description: Nullable(Type.String()),
  shipping_details: Personal(Nullable(ShippingDetails)),
  checkout_session_id: Nullable(Uuid),
  gift_card_redemptions: Type.Array(GiftCardRedemption),
  gift_card_service: Nullable(GiftCardService),
  created_at: Timestamp,
  updated_at: Timestamp,
  disputed: Type.Boolean(),
  reauthorized_from_transaction_id: Nullable(Uuid),
})
export type TransactionSummary = Static<typeof TransactionSummary>

/** The payment service's ids of the payment's parts; a wallet names the payer, too. */
const AdditionalIdentifiers = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  properties: { payer_id: Erasable(Nullable(Type.String())), payer_email: Personal(Nullable(Type.String())) },
  additionalProperties: Nullable(Type.String()),
})

const { reauthorized_from_transaction_id, ...summary } = TransactionSummary.properties

/**
 * The summary and everything else (semantics §3.13). Members are answered in the order in which they stand
 * here.
 */
export const Transaction = Closed('Transaction', {
  ...summary,
  disputed_amount: Type.Integer({
    description: 'What chargebacks have taken of it and reversals have not given back',
  }),
  reauthorized_from_transaction_id,
  airline: Nullable(Airline),
  auth_response_code: Nullable(Type.String()),
  avs_response_code: Nullable(AVSResponseCode),
  cvv_response_code: Nullable(CVVResponseCode),
  anti_fraud_decision: Nullable(AntiFraudDecision),
  payment_source: TransactionPaymentSource,
  merchant_initiated: Type.Boolean(),
  is_subsequent_payment: Type.Boolean(),
  cart_items: Nullable(Type.Array(CartItem)),
  statement_descriptor: Nullable(StatementDescriptor),
  scheme_transaction_id: Nullable(Type.String()),
  transaction_link_id: Nullable(Type.String()),
  three_d_secure: Nullable(TransactionThreeDSecureSummary),
  payment_service_transaction_id: Nullable(Type.String()),
  additional_identifiers: AdditionalIdentifiers,
  metadata: Erasable(Nullable(MapOf(Type.String()))),
  authorized_at: Nullable(Timestamp),
  captured_at: Nullable(Timestamp),
  voided_at: Nullable(Timestamp),
  canceled_at: Nullable(Timestamp),
  approval_expires_at: Nullable(Timestamp),
  buyer_approval_timedout_at: Nullable(Timestamp),
  intent_outcome: Described(
    TransactionIntentOutcome,
    'Whether the intent was reached: `succeeded` once an authorization or capture that was asked for is there',
  ),
  multi_tender: Type.Boolean(),
  account_funding_transaction: Type.Boolean(),
  recipient: Personal(Nullable(Recipient)),
  merchant_advice_code: Nullable(Type.String()),
  installment_count: Nullable(Type.Integer()),
  session_token: Nullable(Type.String()),
  tax_amount: Nullable(Amount),
  merchant_tax_id: Nullable(Text(1, 100)),
  purchase_order_number: Nullable(Text(1, 100)),
  customer_reference_number: Erasable(Nullable(Text(1, 100))),
  amount_includes_tax: Nullable(Type.Boolean()),
  supplier_order_number: Nullable(Text(1, 100)),
  duty_amount: Nullable(Amount),
  shipping_amount: Nullable(Amount),
  iso_response_code: Nullable(Type.String()),
  delegated_payment: Nullable(DelegatedPayment),
  agent_evidence: Erasable(Nullable(Type.Array(AgentEvidence))),
})
export type Transaction = Static<typeof Transaction>

export const TransactionSummaries = Page('TransactionSummaries', TransactionSummary)
export type TransactionSummaries = Static<typeof TransactionSummaries>
