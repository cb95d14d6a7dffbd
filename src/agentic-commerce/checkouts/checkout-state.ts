import { notFound } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import { type AgenticSellerRow, findSeller } from '../sellers/seller.store.ts'
import { type AgenticCheckoutRow, findCheckout } from './checkout.store.ts'
import { CheckoutRefusal } from './checkout-errors.ts'

/** A platform's place: what it creates no other platform sees. */
export interface PlatformOf {
  account: string
  platform: string
}

/** Throws 404: the account does not sell through AI agents. */
export async function readSellerOf(world: World, account: string): Promise<AgenticSellerRow> {
  const seller = await findSeller(world, account)
  if (!seller) throw notFound('The merchant account does not sell through AI agents: PUT /agentic-seller')
  return seller
}

/** Throws 404: the platform has no such checkout in this account. */
export async function readCheckout(
  world: World,
  { account, platform }: PlatformOf,
  id: string,
): Promise<AgenticCheckoutRow> {
  const row = await findCheckout(world, account, platform, id)
  if (!row) throw notFound('There is no such checkout session')
  return row
}

/**
 * Why a checkout cannot be changed or paid: 405 for one that is over, as the protocol answers a cancellation that
 * comes too late, and 409 while a payment is under way. Undefined: it is open.
 */
export function refusalOf(
  { clock }: Pick<World, 'clock'>,
  { status, expires_at }: AgenticCheckoutRow,
): CheckoutRefusal | undefined {
  if (status === 'completed')
    return new CheckoutRefusal({
      status: 405,
      code: 'session_completed',
      message: 'The checkout session is completed',
    })
  if (status === 'canceled')
    return new CheckoutRefusal({
      status: 405,
      code: 'session_canceled',
      message: 'The checkout session was canceled',
    })
  if (status === 'completing') return inProgress()
  if (Date.parse(expires_at) <= clock.now())
    return new CheckoutRefusal({
      status: 405,
      code: 'session_expired',
      message: 'The checkout session has expired: create another one',
    })
  return undefined
}

/** The outcome of the payment is not known yet. */
export const inProgress = () =>
  new CheckoutRefusal({
    status: 409,
    code: 'complete_in_progress',
    message: 'A payment of the checkout session is under way: read the session, or send the request again',
    retryAfter: 2,
  })

/** Another request has changed the checkout since this one has read it. */
export const changedMeanwhile = () =>
  new CheckoutRefusal({
    status: 409,
    code: 'session_changed',
    message:
      'Another request has changed the checkout session meanwhile: read it, and send the request again',
    retryAfter: 1,
  })
