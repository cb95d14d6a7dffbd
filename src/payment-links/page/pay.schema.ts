import { type Static, Type } from 'typebox'
import { Nullable, Personal, Text, Uuid } from '../../api/schema.ts'
import { RedirectMethod } from '../../connectors/contract/method.schema.ts'
import { BrowserInfo } from '../../transactions/transaction.schema.ts'
import { ApplePayInput, GooglePayInput } from '../../vault/payment-methods/payment-method-input.schema.ts'

const closed = { additionalProperties: false }
const browser_info = Type.Optional(Personal(Nullable(BrowserInfo)))

/** Opens a session for a card; `name` is the cardholder's. */
export const SessionRequest = Type.Object({ name: Type.Optional(Personal(Text(1, 200))) }, closed)
export type SessionRequest = Static<typeof SessionRequest>

/**
 * Pays with a card in a session of this link's page, a stored payment method of the link's buyer, a method with
 * a page of its own, or the token of a wallet.
 */
export const PayRequest = Type.Union([
  Type.Object({ checkout_session_id: Uuid, proof: Text(1, 100), browser_info }, closed),
  Type.Object({ payment_method_id: Uuid, browser_info }, closed),
  Type.Object({ method: RedirectMethod, browser_info }, closed),
  Type.Object(
    { ...Type.Pick(ApplePayInput, ['method', 'token', 'card_suffix']).properties, browser_info },
    closed,
  ),
  Type.Object(
    { ...Type.Pick(GooglePayInput, ['method', 'token', 'card_suffix']).properties, browser_info },
    closed,
  ),
])
export type PayRequest = Static<typeof PayRequest>

/** Asks for Apple's session; `validation_url` is of Apple's sheet. */
export const ApplePaySessionRequest = Type.Object({ validation_url: Text(1, 2048) }, closed)

export const LinkParams = Type.Object({ token: Type.String() })
