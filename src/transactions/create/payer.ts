import { invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import type { BillingDetails } from '../../buyers/buyer.schema.ts'
import { type BuyerRow, findRequestedBuyer } from '../../buyers/buyer.store.ts'
import { findShippingDetails } from '../../buyers/shipping-details.store.ts'
import { buyerOfSession, type SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { BuyerSnapshot, ShippingSnapshot } from '../transaction.row.ts'
import type { Draft } from './draft.ts'
import type { Tender } from './tender.ts'

/** The members of a request that are about the buyer. */
type BuyerInput = Pick<
  Draft,
  'buyer' | 'buyer_id' | 'buyer_external_identifier' | 'payment_method' | 'shipping_details_id'
>

/** The buyer and the shipping details as the transaction stores them. */
export interface Payer {
  buyer: BuyerSnapshot | null
  shipping: ShippingSnapshot | null
}

/** The client that sends a payment: it decides whose stored methods the payment may use. */
export interface PaymentOrigin {
  /** A buyer's browser, with an embed token or on a payment link. */
  fromBrowser: boolean
  /** The checkout session that pays. */
  session: SessionForPayment | undefined
}

const merchantOrigin: PaymentOrigin = { fromBrowser: false, session: undefined }

/**
 * The buyer of a payment: the one that the request names, else the owner of the stored payment method
 * (semantics §3.9). Guest data in the request replace the stored data for this payment only. Throws 400 if
 * the request, the method and the session are of different buyers.
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
  const shipping = draft.shipping_details_id
    ? await readStoredShipping(world, account, draft.shipping_details_id, stored)
    : (inline ?? null)
  const named = stored || draft.buyer ? { ...buyerSnapshot(stored), ...withoutNulls(guest) } : null
  const billing = tender?.delegated?.billing ?? null
  const buyer = billing && !named?.billing_details ? { ...named, billing_details: billing } : named
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
  const buyerInMethod =
    method && 'buyer_id' in method
      ? await findRequestedBuyer(world, account, method, '/payment_method')
      : undefined
  const named = (await findRequestedBuyer(world, account, draft)) ?? buyerInMethod
  if (buyerInMethod && named?.id !== buyerInMethod.id)
    throw invalid({ '/payment_method/buyer_id': 'is another buyer than that of the payment' })
  const owner = tender?.owner ?? undefined
  if (owner && named && named.id !== owner.id)
    throw invalid({ '/payment_method/id': 'belongs to another buyer' })
  if (named) refuseOtherBuyer(named, draft, origin)
  if (tender?.storedMethod) await refuseMethodOfOtherBuyer(world, account, named, owner, origin)
  return named ?? owner
}

/**
 * Throws 400 if the checkout session is for another buyer, or if a browser gives the buyer another external
 * identifier.
 */
function refuseOtherBuyer(
  named: BuyerRow,
  { buyer }: BuyerInput,
  { fromBrowser, session }: PaymentOrigin,
): void {
  const sessionBuyer = session?.values.buyer_id && canonicalId(session.values.buyer_id)
  if (sessionBuyer && named.id !== sessionBuyer)
    throw invalid({ '/payment_method/id': 'is the checkout session of another buyer' })
  const identifier = buyer?.external_identifier ?? null
  if (fromBrowser && identifier !== null && identifier !== named.external_identifier)
    throw invalid({ '/buyer/external_identifier': 'is another buyer than that of the payment' })
}

/**
 * A merchant's server may use any stored method; a browser, or a method chosen in a checkout session, only
 * those of the buyer.
 */
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
  if (!owner || owner.id !== buyer?.id)
    throw invalid({ '/payment_method/id': 'is not a stored payment method of the buyer' })
}

async function readStoredShipping(
  world: World,
  account: string,
  id: string,
  buyer: BuyerRow | undefined,
): Promise<ShippingSnapshot> {
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

/** Most buyers have few members, and every byte is written twice (table and write-ahead log). */
const withoutNulls = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>

/** Without a postal code in the buyer's address, that of the checkout session is used (semantics §9). */
function withPostalCode(buyer: BuyerSnapshot | null, postalCode: string | null): BuyerSnapshot | null {
  if (postalCode === null || buyer?.billing_details?.address?.postal_code) return buyer
  const billing = buyer?.billing_details ?? {}
  return {
    ...buyer,
    billing_details: { ...billing, address: { ...billing.address, postal_code: postalCode } },
  }
}
