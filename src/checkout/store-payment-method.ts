import { invalid } from '../api/errors.ts'
import { type BuyerRow, chosenBuyer } from '../buyers/buyer.store.ts'
import { readDescribedCard } from '../vault/described-card.ts'
import type { PaymentMethod } from '../vault/payment-method.schema.ts'
import { insertPaymentMethod, type PaymentMethodRow } from '../vault/payment-method.store.ts'
import { newPaymentMethod, newStoredCard, sealSecret } from '../vault/stored-card.ts'
import type { World } from '../world.ts'
import { readCheckoutSession, type SessionForPayment } from './checkout-session.store.ts'
import type { BankPaymentMethodCreate, PaymentMethodCreate, PlaidPaymentMethodCreate } from './payment-method-create.schema.ts'

/** Stores a payment method without a payment (SEMANTICS §5.2): nobody outside is asked. Throws 400, and 409 where the external identifier is taken. */
export async function storePaymentMethod(world: World, account: string, input: PaymentMethodCreate): Promise<PaymentMethod> {
  const session = 'id' in input ? await readCheckoutSession(world, account, input.id) : undefined
  const buyer = await ownerOf(world, account, input, session)
  const owned = { buyer_id: buyer?.id ?? null, external_identifier: input.external_identifier ?? null }
  return insertPaymentMethod(world, await rowOf(world, account, input, owned, session), buyer)
}

/** The buyer that the request names; a session that was made for a buyer stores for that one. */
async function ownerOf(
  world: World,
  account: string,
  input: PaymentMethodCreate,
  session: SessionForPayment | undefined,
): Promise<BuyerRow | undefined> {
  const named = await chosenBuyer(world, account, input)
  const ofSession = session?.values.buyer_id
  if (!ofSession) return named
  if (named && named.id !== ofSession.toLowerCase()) throw invalid({ '/id': 'is the checkout session of another buyer' })
  return named ?? chosenBuyer(world, account, { buyer_id: ofSession })
}

type Owned = Pick<PaymentMethodRow, 'buyer_id' | 'external_identifier'>

async function rowOf(
  world: World,
  account: string,
  input: PaymentMethodCreate,
  owned: Owned,
  session: SessionForPayment | undefined,
): Promise<PaymentMethodRow> {
  if ('number' in input) return newStoredCard(world, account, await readDescribedCard(world, account, input, ''), owned)
  if ('redirect_url' in input)
    throw invalid({ '/method': `cannot be stored by itself: no payment service of the account keeps ${input.method} for later` })
  if ('account_holder' in input) return bankRow(world, account, input, owned)
  if ('token' in input) return plaidRow(world, account, input, owned)
  return sessionCard(world, account, session, owned)
}

/** The card that was entered into a checkout session; its security code stays there for a payment. */
async function sessionCard(world: World, account: string, session: SessionForPayment | undefined, owned: Owned): Promise<PaymentMethodRow> {
  const entered = session?.paymentMethod
  if (entered?.kind !== 'card') throw invalid({ '/id': 'is not a checkout session of this account with a card' })
  const { number, expirationDate } = entered.card
  return newStoredCard(world, account, await readDescribedCard(world, account, { number, expiration_date: expirationDate }, ''), owned)
}

/** A bank account is known to its holder by the last four characters of its number. */
function bankRow(world: World, account: string, input: BankPaymentMethodCreate, owned: Owned): Promise<PaymentMethodRow> {
  const { account_holder, account_number, routing_number = null, scheme = 'ach' } = input
  const row = { ...newPaymentMethod(world, account), ...owned, method: 'bank', mode: 'bank', label: account_number.slice(-4) }
  const details = 'account_type' in input ? { account_type: input.account_type, is_tokenized: input.is_tokenized ?? false } : {}
  return sealSecret(world, row, JSON.stringify({ scheme, account_holder, account_number, routing_number, ...details }))
}

function plaidRow(world: World, account: string, { token, account_id = null, payment_service_id = null }: PlaidPaymentMethodCreate, owned: Owned) {
  const row = { ...newPaymentMethod(world, account), ...owned, method: 'plaid', mode: 'bank' }
  return sealSecret(world, row, JSON.stringify({ token, account_id, payment_service_id }))
}
