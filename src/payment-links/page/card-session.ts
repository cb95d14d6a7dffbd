import { isSignature } from '../../base/cipher.ts'
import type { GuestBuyer } from '../../buyers/buyer.schema.ts'
import {
  insertCheckoutSession,
  updateCheckoutSession,
} from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'

/** The checkout session into which the page puts a card. */
export interface CardSession {
  id: string
  /**
   * A keyed hash that ties the session to its link: a session of another link, with another buyer's card,
   * does not pay this one.
   */
  proof: string
}

/**
 * Whether the page asks for the cardholder's name: the merchant has named no buyer, so the cardholder becomes
 * the buyer.
 */
export const mustAskForName = ({ buyer_id, details }: PaymentLinkRow): boolean =>
  buyer_id === null && !details.guest

/** Opens a session for a card. */
export async function openCardSession(world: World, link: PaymentLinkRow): Promise<CardSession> {
  const { id } = await insertCheckoutSession(world, link.merchant_account_id, {})
  return { id, proof: proofOf(world, link, id) }
}

/** Makes the cardholder, whose name the buyer has typed, the buyer of the session's payment. */
export async function nameCardholder(
  world: World,
  link: PaymentLinkRow,
  { id, name }: { id: string; name: string },
): Promise<void> {
  if (mustAskForName(link))
    await updateCheckoutSession(world, link.merchant_account_id, id, { buyer: cardholder(name) })
}

export const isCardSession = (world: World, link: PaymentLinkRow, { id, proof }: CardSession): boolean =>
  isSignature(world.cipher, 'payment-link-session', `${link.id}/${id}`, proof)

const proofOf = ({ cipher }: World, { id: link }: PaymentLinkRow, session: string) =>
  cipher.mac('payment-link-session', `${link}/${session}`).toString('base64url')

/**
 * The cardholder as a buyer; the last word of the name counts as the family name. Sets billing details and no
 * `display_name`, which people see who may not see buyers' personal data.
 */
function cardholder(name: string): GuestBuyer {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : undefined
  return { billing_details: { first_name: words.join(' '), ...(last !== undefined && { last_name: last }) } }
}
