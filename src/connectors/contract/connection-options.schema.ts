import { type Static, Type } from 'typebox'
import { Closed, Currency, MapOf, Nullable, Open, Text, Words } from '../../api/schema.ts'

export const AccountUpdaterOptions = Closed('AccountUpdaterOptions', {
  response_code: Type.Optional(Nullable(Words('updated'))),
  account_number: Type.Optional(Nullable(Text(12, 18))),
  expiration_month: Type.Optional(Nullable(Text(2, 2))),
  expiration_year: Type.Optional(Nullable(Text(4, 4))),
  error_code: Type.Optional(Nullable(Type.String())),
})
export type AccountUpdaterOptions = Static<typeof AccountUpdaterOptions>

export const AdyenCardAutoRescueScenariosEnum = Words(
  'AutoRescueSuccessfulFirst',
  'AutoRescueSuccessfulSecond',
  'AutoRescueFailed',
  'AutoRescueFraud',
)
export type AdyenCardAutoRescueScenariosEnum = Static<typeof AdyenCardAutoRescueScenariosEnum>

export const AdyenSplitsOptions = Closed('AdyenSplitsOptions', {
  authorization: Type.Optional(Nullable(Type.Array(Open))),
  capture: Type.Optional(Nullable(Type.Array(Open))),
  refund: Type.Optional(Nullable(Type.Array(Open))),
})
export type AdyenSplitsOptions = Static<typeof AdyenSplitsOptions>

export const AdyenCardOptions = Closed('AdyenCardOptions', {
  autoRescue: Type.Optional(Nullable(Type.Boolean())),
  maxDaysToRescue: Type.Optional(Nullable(Type.Integer())),
  additionalData: Type.Optional(Nullable(MapOf(Type.String()))),
  autoRescueScenario: Type.Optional(Nullable(AdyenCardAutoRescueScenariosEnum)),
  window_origin: Type.Optional(Nullable(Type.String())),
  splits: Type.Optional(Nullable(AdyenSplitsOptions)),
  merchantRiskIndicator: Type.Optional(Nullable(Open)),
  accountInfo: Type.Optional(Nullable(Open)),
  riskData: Type.Optional(Nullable(Open)),
  threeDSRequestorChallengeInd: Type.Optional(Nullable(Type.String())),
  attemptAuthentication: Type.Optional(Nullable(Type.String())),
})
export type AdyenCardOptions = Static<typeof AdyenCardOptions>

export const BnplSubscriptionOptions = Closed('BnplSubscriptionOptions', {
  name: Type.String(),
  interval: Words('DAY', 'WEEK', 'MONTH', 'YEAR'),
  interval_count: Type.Integer(),
  reference: Type.String(),
})
export type BnplSubscriptionOptions = Static<typeof BnplSubscriptionOptions>

export const BnplOptions = Closed('BnplOptions', {
  subscription: Type.Optional(Nullable(BnplSubscriptionOptions)),
  token_only_mode: Type.Optional(Nullable(Type.Boolean())),
  authorization_token: Type.Optional(Nullable(Type.String())),
})
export type BnplOptions = Static<typeof BnplOptions>

export const MockCardMerchantAdviceCodeOptions = Closed('MockCardMerchantAdviceCodeOptions', {
  result: Type.Optional(Nullable(Type.String())),
  account_number: Nullable(Type.String()),
})
export type MockCardMerchantAdviceCodeOptions = Static<typeof MockCardMerchantAdviceCodeOptions>

export const MockCardOptions = Closed('MockCardOptions', {
  merchant_advice_code: Type.Optional(Nullable(MockCardMerchantAdviceCodeOptions)),
  skip_retry: Type.Optional(Nullable(Type.Boolean())),
})
export type MockCardOptions = Static<typeof MockCardOptions>

export const WalletOrderUpdateCallbackConfig = Closed('WalletOrderUpdateCallbackConfig', {
  callback_url: Type.Optional(Nullable(Type.String())),
  callback_events: Type.Optional(Nullable(Type.Array(Words('SHIPPING_ADDRESS', 'SHIPPING_OPTIONS')))),
})
export type WalletOrderUpdateCallbackConfig = Static<typeof WalletOrderUpdateCallbackConfig>

export const WalletShippingOptionsItemAmount = Closed('WalletShippingOptionsItemAmount', {
  currency_code: Currency,
  value: Text(1, 32),
})
export type WalletShippingOptionsItemAmount = Static<typeof WalletShippingOptionsItemAmount>

export const WalletShippingOptionsItem = Closed('WalletShippingOptionsItem', {
  id: Text(1, 127),
  label: Text(1, 127),
  selected: Type.Boolean(),
  type: Type.Optional(Nullable(Words('SHIPPING', 'PICKUP', 'PICKUP_IN_STORE', 'PICKUP_FROM_PERSON'))),
  amount: Type.Optional(Nullable(WalletShippingOptionsItemAmount)),
})
export type WalletShippingOptionsItem = Static<typeof WalletShippingOptionsItem>

export const WalletShippingOptions = Closed('WalletShippingOptions', {
  options: Type.Optional(Nullable(Type.Array(WalletShippingOptionsItem, { maxItems: 10 }))),
})
export type WalletShippingOptions = Static<typeof WalletShippingOptions>

export const WalletOptions = Closed('WalletOptions', {
  order_update_callback_config: Type.Optional(Nullable(WalletOrderUpdateCallbackConfig)),
  additional_data: Type.Optional(Nullable(Type.Array(MapOf(Type.String())))),
  shipping: Type.Optional(Nullable(WalletShippingOptions)),
  user_action: Type.Optional(Nullable(Type.String())),
  shipping_preference: Type.Optional(Nullable(Type.String())),
  brand_name: Type.Optional(Nullable(Type.String({ maxLength: 127 }))),
  landing_page: Type.Optional(Nullable(Type.String())),
  locale: Type.Optional(Nullable(Type.String())),
})
export type WalletOptions = Static<typeof WalletOptions>

export const StripeConnectOptions = Closed('StripeConnectOptions', {
  stripe_account: Type.Optional(Nullable(Type.String())),
  application_fee_amount: Type.Optional(Nullable(Type.Integer())),
  on_behalf_of: Type.Optional(Nullable(Type.String())),
  transfer_data_destination: Type.Optional(Nullable(Type.String())),
  transfer_group: Type.Optional(Nullable(Type.String())),
})
export type StripeConnectOptions = Static<typeof StripeConnectOptions>

export const StripeCardOptions = Closed('StripeCardOptions', {
  stripe_connect: Type.Optional(Nullable(StripeConnectOptions)),
  customer_id: Type.Optional(Nullable(Type.String())),
  error_on_requires_action: Type.Optional(Nullable(Type.Boolean())),
})
export type StripeCardOptions = Static<typeof StripeCardOptions>

export const TransactionConnectionOptions = Closed('TransactionConnectionOptions', {
  'account-updater': Type.Optional(Nullable(AccountUpdaterOptions)),
  'adyen-card': Type.Optional(Nullable(AdyenCardOptions)),
  'bnpl-bnpl': Type.Optional(Nullable(BnplOptions)),
  'mock-card': Type.Optional(Nullable(MockCardOptions)),
  'wallet-wallet': Type.Optional(Nullable(WalletOptions)),
  'stripe-card': Type.Optional(Nullable(StripeCardOptions)),
})
export type TransactionConnectionOptions = Static<typeof TransactionConnectionOptions>
