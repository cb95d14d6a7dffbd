import type { BuyerRow } from '../../buyers/buyer.store.ts'
import type { Instrument } from '../../connectors/connector.ts'
import type { InstrumentType, Method } from '../../connectors/method.schema.ts'
import type { OneTimeToken } from '../../operations/journal/journal.ts'
import type { ReadAndDescribed } from '../../vault/cards/described-card.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import type { RedirectInput } from '../../vault/payment-methods/payment-method-input.schema.ts'
import type { PaymentMethodSnapshot } from '../transaction.row.ts'

/** What a payment is paid with. */
export interface Tender {
  /** What the transaction shows as its method. */
  method: Method
  /** The method that a payment service must take: wallets' tokens are carried by those for cards. */
  routedAs: Method
  /** What a payment service must be able to do to take it. */
  features: readonly string[]
  instrumentType: InstrumentType | null
  /** What the transaction keeps of it. */
  snapshot: PaymentMethodSnapshot
  /** For calls of this request only. */
  instrument: Instrument
  /** Set where a buyer approves at the payment service. */
  redirect?: RedirectInput
  /** The stored payment method that is used. */
  storedMethod?: PaymentMethodRow
  /** Whose it is; null: nobody's. */
  owner?: BuyerRow | null
  /** A card that came in full, and can be stored. */
  card?: ReadAndDescribed
  /** What the story tells of a wallet's token that was decrypted (SEMANTICS §3.17). */
  decrypted?: { name: 'digital-wallet-apple-pay-token-decrypted' | 'digital-wallet-google-pay-token-decrypted'; context: Record<string, unknown> }
  /** A wallet's, which is good for one payment. */
  oneTimeToken?: OneTimeToken
  /** From a checkout session: feeds the address check where the buyer has no address. */
  postalCode?: string | null
}
