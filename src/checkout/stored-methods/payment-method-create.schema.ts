import { type Static, Type } from 'typebox'
import {
  CardExpiry,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  Nullable,
  Personal,
  RedirectUrl,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { CardType, RedirectMethod } from '../../connectors/contract/method.schema.ts'
import {
  BankAccountHolder,
  ownerMembers,
  providerTokenMembers,
} from '../../vault/payment-methods/payment-method-input.schema.ts'

const CardPaymentMethodCreate = Closed('CardPaymentMethodCreate', {
  expiration_date: CardExpiry,
  number: Type.String({ pattern: '^\\d+$', minLength: 13, maxLength: 19 }),
  ...ownerMembers,
  card_type: Type.Optional(Nullable(CardType)),
  method: Type.Optional(Type.Literal('card')),
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }))),
})

const RedirectPaymentMethodCreate = Closed('RedirectPaymentMethodCreate', {
  method: RedirectMethod,
  ...ownerMembers,
  country: Country,
  currency: Currency,
  redirect_url: Erasable(RedirectUrl),
})

const CheckoutSessionPaymentMethodCreate = Closed('CheckoutSessionPaymentMethodCreate', {
  method: Type.Optional(Type.Literal('checkout-session')),
  id: Uuid,
  ...ownerMembers,
})

const PlaidPaymentMethodCreate = Closed('PlaidPaymentMethodCreate', {
  method: Type.Optional(Type.Literal('plaid')),
  token: Type.String(),
  account_id: Type.Optional(Personal(Nullable(Type.String()))),
  payment_service_id: Type.Optional(Nullable(Uuid)),
  ...ownerMembers,
})

/** What a provider's browser script made of a card, for its payment service to store. */
const ProviderTokenPaymentMethodCreate = Closed('ProviderTokenPaymentMethodCreate', {
  ...providerTokenMembers,
  payment_service_id: Described(
    Uuid,
    'The payment service whose provider made the token; it checks the card with an amount of zero, stores it, and alone can charge it',
  ),
  currency: Described(Currency, 'The currency in which the card is checked'),
  country: Type.Optional(Nullable(Country)),
  ...ownerMembers,
  redirect_url: Type.Optional(
    Erasable(
      Described(Nullable(RedirectUrl), 'Where the cardholder comes back to if the issuer challenges them'),
    ),
  ),
})

const bank = {
  method: Type.Optional(Type.Literal('bank')),
  account_holder: BankAccountHolder,
  ...ownerMembers,
  account_number: Personal(Type.String()),
}

const ACHBankPaymentMethodCreate = Closed('ACHBankPaymentMethodCreate', {
  ...bank,
  scheme: Type.Optional(Type.Literal('ach')),
  routing_number: Personal(Type.String()),
  is_tokenized: Type.Optional(Type.Boolean()),
  account_type: Words('checking', 'savings'),
})

const BACSBankPaymentMethodCreate = Closed('BACSBankPaymentMethodCreate', {
  ...bank,
  scheme: Type.Optional(Type.Literal('bacs')),
  routing_number: Personal(Type.String()),
})

const SEPABankPaymentMethodCreate = Closed('SEPABankPaymentMethodCreate', {
  ...bank,
  scheme: Type.Optional(Type.Literal('sepa')),
  routing_number: Type.Optional(Personal(Nullable(Type.String()))),
})

export type CardPaymentMethodCreate = Static<typeof CardPaymentMethodCreate>
export type CheckoutSessionPaymentMethodCreate = Static<typeof CheckoutSessionPaymentMethodCreate>
export type ProviderTokenPaymentMethodCreate = Static<typeof ProviderTokenPaymentMethodCreate>
export type PlaidPaymentMethodCreate = Static<typeof PlaidPaymentMethodCreate>
export type BankPaymentMethodCreate =
  | Static<typeof ACHBankPaymentMethodCreate>
  | Static<typeof BACSBankPaymentMethodCreate>
  | Static<typeof SEPABankPaymentMethodCreate>

/** Every kind of payment method that can be stored without a payment (semantics §5.1). */
export const PaymentMethodCreate = Type.Union([
  CardPaymentMethodCreate,
  RedirectPaymentMethodCreate,
  CheckoutSessionPaymentMethodCreate,
  ProviderTokenPaymentMethodCreate,
  PlaidPaymentMethodCreate,
  ACHBankPaymentMethodCreate,
  BACSBankPaymentMethodCreate,
  SEPABankPaymentMethodCreate,
])
export type PaymentMethodCreate = Static<typeof PaymentMethodCreate>

/** What Railyard stores itself, without asking a payment service. */
export type VaultedMethodCreate = Exclude<PaymentMethodCreate, ProviderTokenPaymentMethodCreate>
