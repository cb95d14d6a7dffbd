import type { Selectable } from 'kysely'
import type { PaymentLinkTable } from '../database/tables/payment-links.ts'
import type { BuyerSnapshot } from '../transactions/transaction.row.ts'
import type { World } from '../world.ts'
import type { PaymentLink, PaymentLinkCreate, PaymentLinkStatus } from './payment-link.schema.ts'

/** Until when a link can be paid that says nothing of it (SEMANTICS §14). */
export const DEFAULT_LIFE_MS = 86_400_000

/** What a page shows, and what a payment through it takes over: as the merchant sent it, the buyer as `guest`. */
export type PaymentLinkDetails = Pick<
  PaymentLinkCreate,
  | 'statement_descriptor'
  | 'cart_items'
  | 'installment_count'
  | 'locale'
  | 'merchant_name'
  | 'merchant_url'
  | 'merchant_banner_url'
  | 'merchant_color'
  | 'merchant_message'
  | 'merchant_terms_and_conditions_url'
  | 'merchant_favicon_url'
  | 'return_url'
> & { guest?: PaymentLinkCreate['buyer'] }

type Typed = Pick<PaymentLink, 'intent' | 'payment_source' | 'metadata'> & {
  /** At the time it was read: `expired` when its time was over. */
  status: PaymentLinkStatus
  buyer: BuyerSnapshot | null
  details: PaymentLinkDetails
}
export type PaymentLinkRow = Omit<Selectable<PaymentLinkTable>, keyof Typed> & Typed

/** What is not shown to everybody: the URL's token, and connection options, which may name a card. */
export interface PaymentLinkSecrets {
  token: string
  connectionOptions: PaymentLinkCreate['connection_options']
}

const PURPOSE = 'payment-link'

export const sealLink = ({ cipher }: Pick<World, 'cipher'>, id: string, secrets: PaymentLinkSecrets): Buffer =>
  cipher.seal(PURPOSE, JSON.stringify(secrets), id)

export const openLink = ({ cipher }: Pick<World, 'cipher'>, { id, secrets }: Pick<PaymentLinkRow, 'id' | 'secrets'>): PaymentLinkSecrets =>
  JSON.parse(cipher.open(PURPOSE, secrets, id))

/** By which a page finds its link: whoever reads the table cannot make a URL of it, and a lookup by it tells nothing by its time. */
export const tokenHash = ({ cipher }: Pick<World, 'cipher'>, token: string): Buffer => cipher.mac('payment-link-token', token)

export const linkUrl = ({ publicUrl }: Pick<World, 'publicUrl'>, token: string): string => `${publicUrl}/pay/${token}`
