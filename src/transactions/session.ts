import { type Caller, isEmbedded } from '../api/caller.ts'
import { invalid } from '../api/errors.ts'
import { readCheckoutSession, type SessionForPayment } from '../checkout/checkout-session.store.ts'
import type { World } from '../world.ts'
import type { TransactionCreate } from './transaction.schema.ts'

/** A request with what its checkout session says where it says nothing itself (SEMANTICS §9). */
export interface WithSession {
  input: TransactionCreate
  session: SessionForPayment | undefined
}

/** The session that a request pays with, or that its browser's token is for (SEMANTICS §1.4). Throws 400 where there is none, or it is another. */
export async function withSession(world: World, account: string, input: TransactionCreate, caller: Caller | undefined): Promise<WithSession> {
  const method = input.payment_method
  const named = method && 'id' in method && method.method === 'checkout-session' ? method.id : undefined
  const pinned = caller?.token?.checkoutSessionId
  if (named && pinned && named !== pinned) throw invalid({ '/payment_method/id': 'is not the checkout session of the token' })
  const id = named ?? pinned
  if (id === undefined) return { input, session: undefined }
  const session = await readCheckoutSession(world, account, id)
  if (!session) throw invalid({ '/payment_method/id': 'is not a checkout session of this account, or it has expired' })
  const filled = filledIn(input, session.values)
  return { input: caller && isEmbedded(caller) ? withBuyerOf(filled, session.values) : filled, session }
}

const taken = [
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

function filledIn(input: TransactionCreate, values: SessionForPayment['values']): TransactionCreate {
  const omitted = taken.filter((name) => (input[name] ?? null) === null && (values[name] ?? null) !== null)
  return { ...input, ...Object.fromEntries(omitted.map((name) => [name, values[name]])), ...storedBuyer(input, values) }
}

/** The session's stored buyer, where the request names none. */
const storedBuyer = (input: TransactionCreate, { buyer_id }: SessionForPayment['values']): Pick<TransactionCreate, 'buyer_id'> =>
  buyer_id && !input.buyer_id && !input.buyer_external_identifier ? { buyer_id } : {}

/** A browser adds to what the merchant said of the session's buyer, such as an address, and does not make it another one. */
function withBuyerOf(input: TransactionCreate, { buyer }: SessionForPayment['values']): TransactionCreate {
  const external_identifier = buyer?.external_identifier
  return external_identifier ? { ...input, buyer: { ...buyer, ...input.buyer, external_identifier } } : input
}
