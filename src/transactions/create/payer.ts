import { invalid } from '../../api/errors.ts'
import type { BillingDetails } from '../../buyers/buyer.schema.ts'
import { type BuyerRow, findRequestedBuyer } from '../../buyers/buyer.store.ts'
import { findShippingDetails } from '../../buyers/shipping-details.store.ts'
import { buyerOfSession, type SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { BuyerSnapshot, ShippingSnapshot } from '../transaction.row.ts'
import type { Draft } from './draft.ts'
import type { Tender } from './tender.ts'

/** What a request says of the buyer. */
type BuyerInput = Pick<Draft, 'buyer' | 'buyer_id' | 'buyer_external_identifier' | 'payment_method' | 'shipping_details_id'>

/** Who pays, and where it goes, as the transaction keeps them. */
export interface Payer {
  buyer: BuyerSnapshot | null
  shipping: ShippingSnapshot | null
}

/** Where a payment comes from: that decides whose stored methods it may use. */
export interface PaymentOrigin {
  /** A buyer's browser sends it, by a token or by a payment link. */
  fromBrowser: boolean
  /** The checkout session that it pays with. */
  session: SessionForPayment | undefined
}

const merchantOrigin: PaymentOrigin = { fromBrowser: false, session: undefined }

/**
 * The buyer of a payment (SEMANTICS §3.9): the one that the request names, else the one whose stored payment method pays. What the request says of a guest
 * stands above what is stored, for this payment only. Throws 400 where they are not one.
 */
export async function readPayer(
  world: World,
  account: string,
  draft: BuyerInput,
  tender: Tender | undefined,
  origin: PaymentOrigin = merchantOrigin,
): Promise<Payer> {
  const stored = await findStoredBuyer(world, account, draft, tender, origin)
  const { shipping_details: inline, ...guest } = draft.buyer ?? {}
  const shipping = draft.shipping_details_id ? await readStoredShipping(world, account, draft.shipping_details_id, stored) : (inline ?? null)
  const buyer = stored || draft.buyer ? { ...buyerSnapshot(stored), ...withoutNulls(guest) } : null
  return { buyer: withPostalCode(buyer, tender?.postalCode ?? null), shipping }
}

async function findStoredBuyer(
  world: World,
  account: string,
  draft: BuyerInput,
  tender: Tender | undefined,
  origin: PaymentOrigin,
): Promise<BuyerRow | undefined> {
  const method = draft.payment_method
  const ofMethod = method && 'buyer_id' in method ? await findRequestedBuyer(world, account, method, '/payment_method') : undefined
  const named = (await findRequestedBuyer(world, account, draft)) ?? ofMethod
  if (ofMethod && named?.id !== ofMethod.id) throw invalid({ '/payment_method/buyer_id': 'is another buyer than that of the payment' })
  const owner = tender?.owner ?? undefined
  if (owner && named && named.id !== owner.id) throw invalid({ '/payment_method/id': 'belongs to another buyer' })
  if (named) refuseOtherBuyer(named, draft, origin)
  if (tender?.storedMethod) await refuseMethodOfOtherBuyer(world, account, named, owner, origin)
  return named ?? owner
}

/** A session is for one buyer; and what a browser says beside a buyer does not make it another one. */
function refuseOtherBuyer(named: BuyerRow, { buyer }: BuyerInput, { fromBrowser, session }: PaymentOrigin): void {
  const ofSession = session?.values.buyer_id?.toLowerCase()
  if (ofSession && named.id !== ofSession) throw invalid({ '/payment_method/id': 'is the checkout session of another buyer' })
  const said = buyer?.external_identifier ?? null
  if (fromBrowser && said !== null && said !== named.external_identifier)
    throw invalid({ '/buyer/external_identifier': 'is another buyer than that of the payment' })
}

/** A merchant's server may use any stored method; a browser, and who pays with a checkout session, those of the buyer alone. */
async function refuseMethodOfOtherBuyer(
  world: World,
  account: string,
  named: BuyerRow | undefined,
  owner: BuyerRow | undefined,
  { fromBrowser, session }: PaymentOrigin,
): Promise<void> {
  const isChosenInSession = session?.paymentMethod?.kind === 'id'
  if (!fromBrowser && !isChosenInSession) return
  const buyer = named ?? (session && (await buyerOfSession(world, account, session.values)))
  if (!owner || owner.id !== buyer?.id) throw invalid({ '/payment_method/id': 'is not a stored payment method of the buyer' })
}

async function readStoredShipping(world: World, account: string, id: string, buyer: BuyerRow | undefined): Promise<ShippingSnapshot> {
  const found = buyer && (await findShippingDetails(world, account, buyer.id, id))
  if (!found) throw invalid({ '/shipping_details_id': 'are not shipping details of the buyer' })
  const { first_name, last_name, email_address, phone_number, address } = found
  return { id, buyer_id: buyer.id, first_name, last_name, email_address, phone_number, address }
}

const buyerSnapshot = (row: BuyerRow | undefined): BuyerSnapshot =>
  row
    ? withoutNulls({
        id: row.id,
        display_name: row.display_name,
        external_identifier: row.external_identifier,
        billing_details: row.billing_details as BillingDetails | null,
        account_number: row.account_number,
      })
    : {}

/** Without what is null: most buyers have little, and every byte is written twice. */
const withoutNulls = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as Partial<T>

/** A checkout session's postal code stands in for an address that nobody gave (SEMANTICS §9). */
function withPostalCode(buyer: BuyerSnapshot | null, postalCode: string | null): BuyerSnapshot | null {
  if (postalCode === null || buyer?.billing_details?.address?.postal_code) return buyer
  const billing = buyer?.billing_details ?? {}
  return { ...buyer, billing_details: { ...billing, address: { ...billing.address, postal_code: postalCode } } }
}
