import { isSignature } from '../../base/cipher.ts'
import type { GuestBuyer } from '../../buyers/buyer.schema.ts'
import { insertCheckoutSession } from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { PaymentLinkRow } from '../payment-link.ts'

/** Where the page puts a card. `proof`: that it is this link's; another session of the account, with another buyer's card, does not pay it. */
export interface CardSession {
  id: string
  proof: string
}

/** Whether nobody has told yet who pays: then the cardholder is the buyer. */
export const mustAskForName = ({ buyer_id, details }: PaymentLinkRow): boolean => buyer_id === null && !details.guest

/** `name`: the cardholder's, as they wrote it. */
export async function openCardSession(world: World, link: PaymentLinkRow, name: string | undefined): Promise<CardSession> {
  const buyer = name !== undefined && mustAskForName(link) ? cardholder(name) : null
  const { id } = await insertCheckoutSession(world, link.merchant_account_id, buyer ? { buyer } : {})
  return { id, proof: proofOf(world, link, id) }
}

export const isCardSession = (world: World, link: PaymentLinkRow, { id, proof }: CardSession): boolean =>
  isSignature(world.cipher, 'payment-link-session', `${link.id}/${id}`, proof)

const proofOf = ({ cipher }: World, { id: link }: PaymentLinkRow, session: string) =>
  cipher.mac('payment-link-session', `${link}/${session}`).toString('base64url')

/** The last word is the family's, as far as a single line can tell. Billing details, and no `display_name`: that is seen by people who may not know who the buyers are. */
function cardholder(name: string): GuestBuyer {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : undefined
  return { billing_details: { first_name: words.join(' '), ...(last !== undefined && { last_name: last }) } }
}
