import { type Caller, hasEmbedToken } from '../../api/auth/caller.ts'
import { invalid } from '../../api/errors.ts'
import { readSessionForPayment, type SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import type { World } from '../../world.ts'
import type { TransactionCreate } from '../transaction.schema.ts'

/** A request with what its checkout session says where it says nothing itself (SEMANTICS §9). */
export interface RequestWithSession {
  input: TransactionCreate
  session: SessionForPayment | undefined
}

/** The session that a request pays with, or that its browser's token is for (SEMANTICS §1.4). Throws 400 where there is none, or it is another. */
export async function applyCheckoutSession(
  world: World,
  account: string,
  input: TransactionCreate,
  caller: Caller | undefined,
): Promise<RequestWithSession> {
  const method = input.payment_method
  const named = method && 'id' in method && method.method === 'checkout-session' ? method.id : undefined
  const pinned = caller?.token?.checkoutSessionId
  if (named && pinned && named !== pinned) throw invalid({ '/payment_method/id': 'is not the checkout session of the token' })
  const id = named ?? pinned
  if (id === undefined) return { input, session: undefined }
  const session = await readSessionForPayment(world, account, id)
  if (!session) throw invalid({ '/payment_method/id': 'is not a checkout session of this account, or it has expired' })
  const filled = withSessionValues(input, session.values)
  return { input: caller && hasEmbedToken(caller) ? withSessionBuyer(filled, session.values) : filled, session }
}

const sessionFields = [
  'cart_items',
  'metadata',
  'buyer',
  'airline',
  'payment_service_id',
  'country',
  'intent',
  'is_subsequent_payment',
  'merchant_initiated',
  'payment_source',
] as const

function withSessionValues(input: TransactionCreate, values: SessionForPayment['values']): TransactionCreate {
  const omitted = sessionFields.filter((name) => (input[name] ?? null) === null && (values[name] ?? null) !== null)
  return { ...input, ...Object.fromEntries(omitted.map((name) => [name, values[name]])), ...sessionBuyerId(input, values) }
}

/** The session's stored buyer, where the request names none. */
const sessionBuyerId = (input: TransactionCreate, { buyer_id }: SessionForPayment['values']): Pick<TransactionCreate, 'buyer_id'> =>
  buyer_id && !input.buyer_id && !input.buyer_external_identifier ? { buyer_id } : {}

/** A browser adds to what the merchant said of the session's buyer, such as an address, and does not make it another one. */
function withSessionBuyer(input: TransactionCreate, { buyer }: SessionForPayment['values']): TransactionCreate {
  const external_identifier = buyer?.external_identifier
  return external_identifier ? { ...input, buyer: { ...buyer, ...input.buyer, external_identifier } } : input
}
