import { type Static, Type } from 'typebox'
import { CardExpiry, Currency, Nullable, Words } from '../../../api/schema.ts'

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Card = Type.Object({
  number: Type.String({ pattern: '^\\d{12,19}$' }),
  expiration_date: CardExpiry,
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d{3,4}$' }))),
})
const SomeMoney = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** What the provider's script in a browser produced in place of a card. */
const BrowserToken = Type.String({ minLength: 1 })

/** A body of POST /tokens. */
export const TokenBody = Type.Object({ card: Card })

/**
 * The body of POST /payments: with a card, a scheme's token, a token of this provider, or a reference to the
 * payment whose card is used again. Unknown members are ignored.
 */
export const CardPayment = Type.Object({
  kind: Words('authorize', 'sale'),
  amount: Amount,
  currency: Currency,
  card: Type.Optional(Card),
  /**
   * A scheme's token or a wallet's device number; a payment that the buyer initiates needs its cryptogram.
   */
  network_token: Type.Optional(
    Type.Object({
      number: Type.String({ pattern: '^\\d{12,19}$' }),
      expiration_date: CardExpiry,
      cryptogram: Type.Optional(Nullable(Type.String())),
      eci: Type.Optional(Nullable(Type.String())),
      source: Words('network', 'apple-pay', 'google-pay', 'click-to-pay'),
    }),
  ),
  browser_token: Type.Optional(BrowserToken),
  /** Store the card of `browser_token` for later payments. */
  store: Type.Optional(Type.Boolean()),
  stored_credential: Type.Optional(
    Type.Object({
      initiator: Words('customer', 'merchant'),
      usage: Words('first', 'subsequent'),
      reason: Words('card_on_file', 'recurring', 'installment'),
      scheme_transaction_id: Nullable(Type.String()),
      transaction_link_id: Type.Optional(Nullable(Type.String())),
    }),
  ),
  /** The proof of a cardholder's authentication. */
  three_d_secure: Type.Optional(
    Type.Object({
      eci: Nullable(Type.String()),
      cavv: Nullable(Type.String()),
      version: Type.String(),
      directory_transaction_id: Nullable(Type.String()),
      directory_response: Type.String(),
      authentication_response: Nullable(Type.String()),
    }),
  ),
  /** The token of a stored card, from POST /tokens. */
  token: Type.Optional(Nullable(Type.String())),
  /**
   * The issuer has replaced the refused card: an amount that simulates an invalid card does not refuse the
   * new one.
   */
  renewed_card: Type.Optional(Type.Boolean()),
  reference_payment_id: Type.Optional(Nullable(Type.String())),
  billing_postal_code: Type.Optional(Nullable(Type.String())),
  allow_partial: Type.Optional(Type.Boolean()),
  merchant_advice_code: Type.Optional(
    Nullable(Type.Object({ result: Type.String(), account_number: Type.Optional(Nullable(Type.String())) })),
  ),
  notification_url: Type.Optional(Nullable(Type.String())),
})
export type CardPayment = Static<typeof CardPayment>

/**
 * The body of POST /payouts: to a card, a scheme's token or a token of this provider. Unknown members are
 * ignored.
 */
export const CardPayout = Type.Object({
  amount: SomeMoney,
  currency: Currency,
  card: Type.Optional(Card),
  network_token: Type.Optional(
    Type.Object({ number: Type.String({ pattern: '^\\d{12,19}$' }), expiration_date: CardExpiry }),
  ),
  token: Type.Optional(Nullable(Type.String())),
  category: Type.Optional(Nullable(Type.String())),
  notification_url: Type.Optional(Nullable(Type.String())),
})
export type CardPayout = Static<typeof CardPayout>

/** The body of an operation on a payment; the routes say which members each operation needs. */
export const FollowUpBody = Type.Object({
  amount: Type.Optional(SomeMoney),
  final: Type.Optional(Type.Boolean()),
})
export type FollowUpBody = Static<typeof FollowUpBody>
