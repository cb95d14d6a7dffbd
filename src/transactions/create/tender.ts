import type { BillingDetails } from '../../buyers/buyer.schema.ts'
import type { BuyerRow } from '../../buyers/buyer.store.ts'
import type { Instrument } from '../../connectors/contract/call.ts'
import type { Feature } from '../../connectors/contract/connector.ts'
import type { InstrumentType, Method } from '../../connectors/contract/method.schema.ts'
import type { Delegation, OneTimeToken } from '../../operations/journal/intend-payment.ts'
import type { ReadAndDescribed } from '../../vault/cards/described-card.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import type { RedirectInput } from '../../vault/payment-methods/payment-method-input.schema.ts'
import type { StoredAccountColumns, TokenizedCardColumns } from '../../vault/payment-methods/token-method.ts'
import type { Details, PaymentMethodSnapshot } from '../transaction.row.ts'

/** What a payment is paid with. */
export interface Tender {
  /** The method that the transaction shows. */
  method: Method
  /** The method that a payment service must take: services for cards take wallets' tokens, too. */
  routedAs: Method
  /** The features that a payment service needs to take it. */
  features: readonly Feature[]
  /** The only payment service that can take it; absent: any. */
  onlyService?: string
  instrumentType: InstrumentType | null
  /** What the transaction stores of it. */
  snapshot: PaymentMethodSnapshot
  /** For calls of this request only. */
  instrument: Instrument
  /** Set if a buyer approves at the payment service. */
  redirect?: RedirectInput
  /** The stored payment method that is used. */
  storedMethod?: PaymentMethodRow
  /** The buyer who owns the stored method; null: it has no owner. */
  owner?: BuyerRow | null
  /** A card with its number, which can be stored. */
  card?: ReadAndDescribed
  /** What is known of a card behind a provider's token, or of a buyer's account, that a payment service can store. */
  tokenized?: TokenizedCardColumns | StoredAccountColumns
  /** The timeline entry about a wallet's token that Railyard decrypted (semantics §3.17). */
  decrypted?: {
    name: 'digital-wallet-apple-pay-token-decrypted' | 'digital-wallet-google-pay-token-decrypted'
    context: Record<string, unknown>
  }
  /** A wallet's token, which is good for one payment. */
  oneTimeToken?: OneTimeToken
  /** A delegated payment, which is reserved for this one; `billing` for a buyer without billing details. */
  delegated?: {
    delegation: Delegation
    shown: NonNullable<Details['delegated_payment']>
    billing: BillingDetails | null
  }
  /** From a checkout session: for the address check if the buyer has no address. */
  postalCode?: string | null
}
