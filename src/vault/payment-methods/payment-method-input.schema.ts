import { type Static, Type } from 'typebox'
import {
  CardExpiry,
  Closed,
  Country,
  Currency,
  Described,
  Erasable,
  Nullable,
  Open,
  Personal,
  RedirectUrl,
  Text,
  Uuid,
  Words,
} from '../../api/schema.ts'
import { CardScheme, CardType, ReturningMethod } from '../../connectors/contract/method.schema.ts'

/** The buyer who owns the payment method, and the merchant's name for it. */
export const ownerMembers = {
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
}

/** The members of a card that a request has in full. */
const cardMembers = {
  expiration_date: CardExpiry,
  number: Type.String({ pattern: '^\\d+$', minLength: 13, maxLength: 19 }),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  buyer_id: Type.Optional(Nullable(Uuid)),
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  card_type: Type.Optional(Nullable(CardType)),
}

export const CardInput = Closed('CardInput', {
  ...cardMembers,
  method: Type.Optional(Type.Literal('card')),
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }))),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
})
export type CardInput = Static<typeof CardInput>

const redirectMethodMembers = {
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  country: Country,
  currency: Currency,
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
}

export const BnplInput = Closed('BnplInput', {
  method: Type.Literal('bnpl'),
  ...redirectMethodMembers,
  redirect_url: Type.Optional(
    Erasable(
      Nullable(
        Described(
          RedirectUrl,
          'Where the buyer comes back to. Required, unless they approve in your page (`integration_client`) or have approved (`authorization_token`)',
        ),
      ),
    ),
  ),
})

export const RedirectInput = Closed('RedirectInput', {
  method: ReturningMethod,
  ...redirectMethodMembers,
  redirect_url: Erasable(Described(RedirectUrl, 'Where the buyer comes back to')),
})
export type RedirectInput = Static<typeof RedirectInput> | Static<typeof BnplInput>

export const StoredMethodInput = Closed('StoredMethodInput', {
  id: Uuid,
  method: Type.Optional(Type.Literal('id')),
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }))),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
})
export type StoredMethodInput = Static<typeof StoredMethodInput>

/** The members of a wallet's token. */
const walletMembers = {
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  buyer_id: Type.Optional(Nullable(Uuid)),
  cardholder_name: Type.Optional(Personal(Nullable(Text(0, 200)))),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
  card_suffix: Type.Optional(Nullable(Text(4, 4))),
  card_scheme: Type.Optional(Nullable(Type.String())),
  card_type: Type.Optional(Nullable(Type.String())),
}

export const ApplePayInput = Closed('ApplePayInput', {
  ...walletMembers,
  method: Type.Literal('applepay'),
  token: Open,
})
export type ApplePayInput = Static<typeof ApplePayInput>

export const ClickToPayTokenInput = Closed('ClickToPayTokenInput', {
  method: Type.Literal('click-to-pay'),
  token: Type.String(),
  cryptogram: Type.String(),
  expiration_date: CardExpiry,
  ...ownerMembers,
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
})
export type ClickToPayTokenInput = Static<typeof ClickToPayTokenInput>

export const ClickToPayCardInput = Closed('ClickToPayCardInput', {
  ...cardMembers,
  method: Type.Literal('click-to-pay'),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
  security_code: Type.Optional(Type.Null()),
})
export type ClickToPayCardInput = Static<typeof ClickToPayCardInput>

export const GooglePayAssuranceDetails = Closed('GooglePayAssuranceDetails', {
  account_verified: Type.Optional(Nullable(Type.Boolean())),
  card_holder_authenticated: Type.Optional(Nullable(Type.Boolean())),
})
export type GooglePayAssuranceDetails = Static<typeof GooglePayAssuranceDetails>

export const GooglePayInput = Closed('GooglePayInput', {
  ...walletMembers,
  method: Type.Literal('googlepay'),
  token: Type.Union([Type.String(), Open]),
  assurance_details: Type.Optional(Nullable(GooglePayAssuranceDetails)),
})
export type GooglePayInput = Static<typeof GooglePayInput>

export const GooglePayCardInput = Closed('GooglePayCardInput', {
  ...cardMembers,
  method: Type.Literal('googlepay_pan_only'),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
  security_code: Type.Optional(Type.Null()),
})
export type GooglePayCardInput = Static<typeof GooglePayCardInput>

export const NetworkTokenInput = Closed('NetworkTokenInput', {
  method: Type.Literal('network-token'),
  token: Type.String(),
  expiration_date: CardExpiry,
  cryptogram: Type.Optional(Nullable(Type.String())),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
  card_source: Type.Optional(Nullable(Words('apple-pay', 'google-pay'))),
  card_scheme: Type.Optional(Nullable(CardScheme)),
  card_suffix: Type.Optional(Nullable(Type.String({ maxLength: 4 }))),
  cardholder_name: Type.Optional(Personal(Nullable(Type.String()))),
  eci: Type.Optional(Nullable(Type.String({ pattern: '^0?\\d$', minLength: 1, maxLength: 2 }))),
})
export type NetworkTokenInput = Static<typeof NetworkTokenInput>

/** What a provider's browser script produced in place of a card, and what it tells of the card. */
export const providerTokenMembers = {
  method: Type.Literal('provider-token'),
  token: Described(
    Type.Union([Type.String({ minLength: 1, maxLength: 5000 }), Open]),
    'What the provider’s script answered, as it is: an id such as `pm_…` or `tok_…`, or an object of encrypted fields. It pays once',
  ),
  bin: Type.Optional(
    Described(
      Nullable(Type.String({ pattern: '^\\d{6,8}$' })),
      'The card’s first six to eight digits, if the script tells them: rules can decide by them',
    ),
  ),
  card_suffix: Type.Optional(
    Described(Nullable(Type.String({ pattern: '^\\d{4}$' })), 'The card’s last four digits'),
  ),
  card_scheme: Type.Optional(Nullable(CardScheme)),
  card_type: Type.Optional(Nullable(CardType)),
  expiration_date: Type.Optional(Nullable(CardExpiry)),
}

/** A token of a provider's browser script pays: no card number reaches Railyard. */
export const ProviderTokenInput = Closed('ProviderTokenInput', {
  ...providerTokenMembers,
  payment_service_id: Described(
    Uuid,
    'The payment service whose provider made the token; no other can use it',
  ),
  ...ownerMembers,
  redirect_url: Type.Optional(
    Erasable(
      Described(Nullable(RedirectUrl), 'Where the cardholder comes back to if the issuer challenges them'),
    ),
  ),
})
export type ProviderTokenInput = Static<typeof ProviderTokenInput>

export const PlaidInput = Closed('PlaidInput', {
  method: Type.Optional(Type.Literal('plaid')),
  token: Type.String(),
  account_id: Type.Optional(Personal(Nullable(Type.String()))),
  payment_service_id: Type.Optional(Nullable(Uuid)),
  ...ownerMembers,
})
export type PlaidInput = Static<typeof PlaidInput>

export const BankAccountHolder = Closed('BankAccountHolder', {
  first_name: Type.Optional(Personal(Nullable(Type.String()))),
  last_name: Type.Optional(Personal(Nullable(Type.String()))),
  company_name: Type.Optional(Personal(Nullable(Type.String()))),
})
export type BankAccountHolder = Static<typeof BankAccountHolder>

export const BankInput = Closed('BankInput', {
  method: Type.Optional(Type.Literal('bank')),
  account_holder: BankAccountHolder,
  ...ownerMembers,
})
export type BankInput = Static<typeof BankInput>

export const CheckoutSessionInput = Closed('CheckoutSessionInput', {
  method: Type.Optional(Type.Literal('checkout-session')),
  id: Uuid,
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  buyer_id: Type.Optional(Nullable(Uuid)),
  buyer_external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  redirect_url: Type.Optional(Erasable(Nullable(RedirectUrl))),
})
export type CheckoutSessionInput = Static<typeof CheckoutSessionInput>

/** The token of a card that a buyer's platform has delegated: it pays once, within its allowance. */
export const DelegatedPaymentInput = Closed('DelegatedPaymentInput', {
  method: Type.Literal('delegated-payment'),
  token: Described(
    Type.String({ pattern: '^vt_[0-9a-f-]{36}$' }),
    'The token that the platform got from `POST /agentic_commerce/delegate_payment`',
  ),
  checkout_session_id: Described(
    Text(1, 255),
    'The checkout session that you pay: the token is for one, and refuses any other',
  ),
  redirect_url: Type.Optional(
    Erasable(
      Described(Nullable(RedirectUrl), 'Where the cardholder comes back to if the issuer challenges them'),
    ),
  ),
})
export type DelegatedPaymentInput = Static<typeof DelegatedPaymentInput>
