import { version } from '../../api/openapi/openapi.ts'
import { isStorable } from '../../api/server/validation.ts'
import { PROTOCOL_VERSION } from '../../checkout/delegated-payments/protocol.ts'
import { signatureHeaders } from '../../events/delivery/signature.ts'
import { type MerchantAnswer, MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import { CheckoutRefusal } from '../checkouts/checkout-errors.ts'
import type { AgenticCheckoutComplete, CheckoutRequest } from '../checkouts/checkout-request.schema.ts'
import { type AgenticSellerRow, sellerSecret } from '../sellers/seller.store.ts'
import type { Price } from './price.schema.ts'
import { readPrice } from './price-problem.ts'

/** How long a merchant may take to price a cart, in milliseconds. A buyer waits. */
export const PRICING_TIMEOUT_MS = 8_000

/** What a merchant is asked to price. */
export interface PriceRequest {
  checkoutId: string
  /** `complete`: the buyer pays now, so the merchant confirms the price and names the order. */
  reason: 'create' | 'update' | 'complete'
  /** ISO 4217. */
  currency: string
  request: Partial<CheckoutRequest>
  /** Of this request alone, and not kept. */
  passedOn: {
    affiliate_attribution?: object | undefined
    marketing_consents?: AgenticCheckoutComplete['marketing_consents']
    risk_signals?: AgenticCheckoutComplete['risk_signals']
  }
}

/** A price that was checked; `amount` is its total. */
export type CheckedPrice = Price & { amount: number }

/**
 * Asks the merchant for the price of a cart. Throws 503 if the merchant does not answer, and 502 for an answer
 * that is no price: nothing has changed, and the platform may ask again.
 */
export async function askPrice(
  world: World,
  seller: AgenticSellerRow,
  { checkoutId, reason, currency, request, passedOn }: PriceRequest,
): Promise<CheckedPrice> {
  const { currency: _currency, capabilities: _capabilities, ...cart } = request
  const body = JSON.stringify({
    type: 'agentic-checkout.price',
    reason,
    checkout_session_id: checkoutId,
    merchant_account_id: seller.merchant_account_id,
    protocol_version: PROTOCOL_VERSION,
    ...cart,
    ...passedOn,
    currency: currency.toLowerCase(),
  })
  const answer = await send(world, seller, body)
  if (answer.status < 200 || answer.status > 299)
    throw refused(world, seller, 503, `the merchant answered ${answer.status}`)
  const read = readPrice(parsed(answer.text), currency)
  if ('problem' in read)
    throw refused(world, seller, 502, `the merchant's answer is no price: ${read.problem}`)
  if (reason === 'complete' && read.price.status === 'ready_for_payment' && !read.price.order)
    throw refused(world, seller, 502, `the merchant's answer is no price: $.order is required to complete`)
  return read.price
}

async function send(world: World, seller: AgenticSellerRow, body: string): Promise<MerchantAnswer> {
  const content = {
    id: world.ids.next(),
    timestamp: Math.floor(world.machineClock.now() / 1_000),
    body,
  }
  try {
    return await world.merchantHttp.request(seller.pricing_url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Railyard/${version}`,
        ...signatureHeaders([sellerSecret(world, seller)], content),
      },
      body,
      timeout: PRICING_TIMEOUT_MS,
    })
  } catch (error) {
    if (!(error instanceof MerchantUnreachable)) throw error
    throw refused(world, seller, 503, `the merchant could not be asked: ${error.message}`)
  }
}

/** The answer is logged for the merchant's operator; a problem names members, never their values. */
function refused(
  { log }: Pick<World, 'log'>,
  { merchant_account_id }: AgenticSellerRow,
  status: 502 | 503,
  problem: string,
): CheckoutRefusal {
  log.warn({ merchant_account: merchant_account_id, problem }, 'a cart could not be priced')
  return new CheckoutRefusal({
    status,
    code: status === 503 ? 'merchant_unavailable' : 'merchant_answer_invalid',
    message: `The cart could not be priced: ${problem}`,
    ...(status === 503 && { retryAfter: 5 }),
  })
}

/** Undefined: it is no JSON, or has text that the database cannot store. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) => {
      if (typeof value === 'string' && !isStorable(value)) throw new TypeError('cannot be stored')
      return value
    })
  } catch {
    return undefined
  }
}
