import type { Selectable } from 'kysely'
import type { PaymentLinkTable } from '../database/tables/payment-links.ts'
import type { BuyerSnapshot } from '../transactions/transaction.row.ts'
import type { World } from '../world.ts'
import type { PaymentLink, PaymentLinkCreate, PaymentLinkStatus } from './payment-link.schema.ts'

/** How long a link without `expires_at` can be paid, in milliseconds (semantics §14). */
export const DEFAULT_LIFE_MS = 86_400_000

/** The members of a request that the row keeps in its JSON column `details`. */
export const linkDetailKeys = [
  'statement_descriptor',
  'cart_items',
  'installment_count',
  'locale',
  'merchant_name',
  'merchant_url',
  'merchant_banner_url',
  'merchant_color',
  'merchant_message',
  'merchant_terms_and_conditions_url',
  'merchant_favicon_url',
  'return_url',
] as const satisfies readonly (keyof PaymentLinkCreate)[]

/**
 * What the page shows and the payment takes over, as the merchant has sent it; `guest` is the request's
 * `buyer`.
 */
export type PaymentLinkDetails = Pick<PaymentLinkCreate, (typeof linkDetailKeys)[number]> & {
  guest?: PaymentLinkCreate['buyer']
}

type Typed = Pick<PaymentLink, 'intent' | 'payment_source' | 'metadata'> & {
  /** When the row was read: `expired` if the link's time was over. */
  status: PaymentLinkStatus
  buyer: BuyerSnapshot | null
  details: PaymentLinkDetails
}
export type PaymentLinkRow = Omit<Selectable<PaymentLinkTable>, keyof Typed> & Typed

/**
 * The secrets of a link, before they are sealed: the URL's token, and connection options, which may name a
 * card.
 */
export interface PaymentLinkSecrets {
  token: string
  connectionOptions: PaymentLinkCreate['connection_options']
}

const PURPOSE = 'payment-link'

export const sealLink = (
  { cipher }: Pick<World, 'cipher'>,
  id: string,
  secrets: PaymentLinkSecrets,
): Buffer => cipher.seal(PURPOSE, JSON.stringify(secrets), id)

export const openLink = (
  { cipher }: Pick<World, 'cipher'>,
  { id, secrets }: Pick<PaymentLinkRow, 'id' | 'secrets'>,
): PaymentLinkSecrets => JSON.parse(cipher.open(PURPOSE, secrets, id))

/**
 * A keyed hash, by which a page finds its link. The hash gives no URL to a reader of the table, and the time
 * of a lookup tells nothing about tokens.
 */
export const tokenHash = ({ cipher }: Pick<World, 'cipher'>, token: string): Buffer =>
  cipher.mac('payment-link-token', token)

export const linkUrl = ({ publicUrl }: Pick<World, 'publicUrl'>, token: string): string =>
  `${publicUrl}/pay/${token}`
