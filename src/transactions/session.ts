import { invalid } from '../api/errors.ts'
import type { Token } from '../api/token.ts'
import { readCheckoutSession, type SessionForPayment } from '../checkout/checkout-session.store.ts'
import type { World } from '../world.ts'
import type { TransactionCreate } from './transaction.schema.ts'

/** A request with what its checkout session says where it says nothing itself (SEMANTICS §9). */
export interface WithSession {
  input: TransactionCreate
  session: SessionForPayment | undefined
}

/** The session that a request pays with, or that its browser's token is for (SEMANTICS §1.4). Throws 400 where there is none, or it is another. */
export async function withSession(world: World, account: string, input: TransactionCreate, token: Token | undefined): Promise<WithSession> {
  const method = input.payment_method
  const named = method && 'id' in method && method.method === 'checkout-session' ? method.id : undefined
  const pinned = token?.checkoutSessionId
  if (named && pinned && named !== pinned) throw invalid({ '/payment_method/id': 'is not the checkout session of the token' })
  const id = named ?? pinned
  if (id === undefined) return { input, session: undefined }
  const session = await readCheckoutSession(world, account, id)
  if (!session) throw invalid({ '/payment_method/id': 'is not a checkout session of this account, or it has expired' })
  return { input: filledIn(input, session.values), session }
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
  return { ...input, ...Object.fromEntries(omitted.map((name) => [name, values[name]])) }
}
