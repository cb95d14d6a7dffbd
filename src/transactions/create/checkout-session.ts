import { type Caller, hasEmbedToken } from '../../api/auth/caller.ts'
import { invalid } from '../../api/errors.ts'
import type { CheckoutSessionValues } from '../../checkout/sessions/checkout-session.schema.ts'
import {
  readSessionForPayment,
  type SessionForPayment,
} from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { TransactionCreate } from '../transaction.schema.ts'

/** A request, completed with the values of its checkout session (semantics §9). */
export interface RequestWithSession {
  input: TransactionCreate
  session: SessionForPayment | undefined
}

/**
 * Completes a request with the checkout session that its payment method names, or that its browser's token is
 * bound to (semantics §1.4). Throws 400 if the session does not exist or has expired, or if the request names
 * another session than the token.
 */
export async function applyCheckoutSession(
  world: World,
  account: string,
  input: TransactionCreate,
  caller: Caller | undefined,
): Promise<RequestWithSession> {
  const method = input.payment_method
  const named = method && 'id' in method && method.method === 'checkout-session' ? method.id : undefined
  const ofToken = caller?.token?.checkoutSessionId
  if (named && ofToken && named !== ofToken)
    throw invalid({ '/payment_method/id': 'is not the checkout session of the token' })
  const id = named ?? ofToken
  if (id === undefined) return { input, session: undefined }
  const session = await readSessionForPayment(world, account, id)
  if (!session)
    throw invalid({ '/payment_method/id': 'is not a checkout session of this account, or it has expired' })
  const completed = withSessionValues(input, session.values)
  return {
    input: caller && hasEmbedToken(caller) ? withSessionBuyer(completed, session.values) : completed,
    session,
  }
}

/**
 * Session values that a request may omit. It always has an amount and a currency; `sessionBuyerId` decides on
 * the stored buyer.
 */
type SessionField = Exclude<
  keyof CheckoutSessionValues & keyof TransactionCreate,
  'amount' | 'currency' | 'buyer_id'
>

/** An object rather than a list, so that the compiler finds a missing field. */
const sessionFields: Readonly<Record<SessionField, true>> = {
  cart_items: true,
  metadata: true,
  buyer: true,
  airline: true,
  payment_service_id: true,
  country: true,
  intent: true,
  is_subsequent_payment: true,
  merchant_initiated: true,
  payment_source: true,
}
const isSessionField = (name: string): name is SessionField => Object.hasOwn(sessionFields, name)

function withSessionValues(input: TransactionCreate, values: SessionForPayment['values']): TransactionCreate {
  const omitted = Object.keys(sessionFields)
    .filter(isSessionField)
    .filter((name) => (input[name] ?? null) === null && (values[name] ?? null) !== null)
  return {
    ...input,
    ...Object.fromEntries(omitted.map((name) => [name, values[name]])),
    ...sessionBuyerId(input, values),
  }
}

/** The session's stored buyer; empty: the request names a buyer itself. */
const sessionBuyerId = (
  input: TransactionCreate,
  { buyer_id }: SessionForPayment['values'],
): Pick<TransactionCreate, 'buyer_id'> =>
  buyer_id && !input.buyer_id && !input.buyer_external_identifier ? { buyer_id } : {}

/**
 * A browser may add to the merchant's data of the session's buyer, such as an address, but cannot name
 * another buyer.
 */
function withSessionBuyer(
  input: TransactionCreate,
  { buyer }: SessionForPayment['values'],
): TransactionCreate {
  const external_identifier = buyer?.external_identifier
  return external_identifier ? { ...input, buyer: { ...buyer, ...input.buyer, external_identifier } } : input
}
