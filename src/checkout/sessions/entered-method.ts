import type { BuyerRow } from '../../buyers/buyer.store.ts'
import type { CardScheme, CardType, Method } from '../../connectors/contract/method.schema.ts'
import { shownBin } from '../../vault/cards/card.ts'
import { shownFingerprint } from '../../vault/cards/card-fingerprint.ts'
import { type DescribedCard, readDescribedCard } from '../../vault/cards/described-card.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import type { SessionSecret } from '../../vault/secrets/session-secret.ts'
import type { World } from '../../world.ts'
import type {
  CheckoutSessionCardPaymentMethod,
  CheckoutSessionClickToPayPaymentMethod,
  CheckoutSessionPaymentMethod,
  CheckoutSessionProviderToken,
} from './checkout-session.schema.ts'

/** The part of what a buyer entered that is no secret; the rest is sealed. */
export type EnteredMethodSnapshot =
  | ({ kind: 'card' } & DescribedCard)
  | ({ kind: 'id' } & StoredMethodSnapshot)
  | { kind: 'click-to-pay' }
  | ({ kind: 'provider-token' } & TokenizedCard)

/** What a provider's script tells of the card behind its token. */
export interface TokenizedCard {
  payment_service_id: string
  label: string | null
  scheme: CardScheme | null
  bin: string | null
  card_type: CardType | null
  expiration_date: string | null
}

/** A stored payment method as it was when the buyer chose it. */
export interface StoredMethodSnapshot {
  id: string
  method: Method
  label: string | null
  scheme: CardScheme | null
  fingerprint: string | null
  bin: string | null
  card_type: CardType | null
  card_issuer_name: string | null
  card_country: string | null
}

/** The fields that a buyer entered, in the form in which they are stored. */
export interface EnteredMethod {
  snapshot: EnteredMethodSnapshot
  /** Null: there is nothing to seal. */
  secret: SessionSecret | null
  securityCode: string | null
}

/** Throws 400 at the field if the card cannot be valid (semantics §1.7). */
export async function enteredCard(
  world: World,
  account: string,
  input: CheckoutSessionCardPaymentMethod,
): Promise<EnteredMethod> {
  const { snapshot, card } = await readDescribedCard(world, account, input, '/payment_method')
  return {
    snapshot: { kind: 'card', ...snapshot },
    secret: { kind: 'card', number: card.number, expirationDate: card.expirationDate },
    securityCode: card.securityCode,
  }
}

/** The values of the click-to-pay system; they are stored as they came. */
export const enteredClickToPay = (input: CheckoutSessionClickToPayPaymentMethod): EnteredMethod => ({
  snapshot: { kind: 'click-to-pay' },
  secret: {
    kind: 'click-to-pay',
    merchantTransactionId: input.merchant_transaction_id,
    srcCorrelationId: input.src_correlation_id,
    srcDpaId: input.src_dpa_id,
    srcCxFlowId: input.src_cx_flow_id ?? null,
  },
  securityCode: null,
})

/** The token of a provider's script, for the payment service of the session. */
export const enteredProviderToken = (
  input: CheckoutSessionProviderToken,
  paymentServiceId: string,
): EnteredMethod => ({
  snapshot: {
    kind: 'provider-token',
    payment_service_id: paymentServiceId,
    label: input.card_suffix ?? null,
    scheme: input.card_scheme ?? null,
    bin: input.bin ?? null,
    card_type: input.card_type ?? null,
    expiration_date: input.expiration_date ?? null,
  },
  secret: { kind: 'provider-token', token: input.token },
  securityCode: null,
})

/** Undefined: the session's buyer has no such payment method. */
export async function enteredStored(
  world: World,
  buyer: BuyerRow,
  id: string,
  securityCode: string | null,
): Promise<EnteredMethod | undefined> {
  const row = await findPaymentMethodRow(world, buyer.merchant_account_id, id)
  if (row?.buyer_id !== buyer.id) return undefined
  const { method, label, scheme, fingerprint, bin, card_type, card_issuer_name, card_country } = row
  // the vault writes only values of the API
  const stored = {
    id: row.id,
    method,
    label,
    scheme,
    fingerprint,
    bin,
    card_type,
    card_issuer_name,
    card_country,
  } as StoredMethodSnapshot
  return { snapshot: { kind: 'id', ...stored }, secret: null, securityCode }
}

/** As the session shows it. */
export function showEnteredMethod(snapshot: EnteredMethodSnapshot): CheckoutSessionPaymentMethod {
  if (snapshot.kind === 'click-to-pay')
    return {
      type: 'payment-method',
      id: null,
      method: 'click-to-pay',
      details: null,
      label: null,
      scheme: null,
      fingerprint: null,
    }
  const { label, scheme, bin, card_type } = snapshot
  const isTokenized = snapshot.kind === 'provider-token'
  return {
    type: 'payment-method',
    id: snapshot.kind === 'id' ? snapshot.id : null,
    method: snapshot.kind === 'id' ? snapshot.method : 'card',
    details: {
      bin: bin && shownBin(bin),
      card_country: isTokenized ? null : snapshot.card_country,
      card_type: card_type as CardType | null,
      card_issuer_name: isTokenized ? null : snapshot.card_issuer_name,
    },
    label,
    scheme,
    // null for a card that was only entered: otherwise a browser could find out by trying whether the account
    // knows a card
    fingerprint: snapshot.kind === 'id' ? shownFingerprint(snapshot.fingerprint) : null,
  }
}
