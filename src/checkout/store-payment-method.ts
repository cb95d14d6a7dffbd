import { invalid } from '../api/errors.ts'
import { type BuyerSelectors, chosenBuyer } from '../buyers/buyer.store.ts'
import { readDescribedCard } from '../vault/described-card.ts'
import type { PaymentMethod } from '../vault/payment-method.schema.ts'
import { insertPaymentMethod, type PaymentMethodRow } from '../vault/payment-method.store.ts'
import { newPaymentMethod, newStoredCard, sealSecret } from '../vault/stored-card.ts'
import type { World } from '../world.ts'
import { readCheckoutSession } from './checkout-session.store.ts'
import type {
  BankPaymentMethodCreate,
  CheckoutSessionPaymentMethodCreate,
  PaymentMethodCreate,
  PlaidPaymentMethodCreate,
} from './payment-method-create.schema.ts'

/** Stores a payment method without a payment (SEMANTICS §5.2): nobody outside is asked. Throws 400, and 409 where the external identifier is taken. */
export async function storePaymentMethod(world: World, account: string, input: PaymentMethodCreate): Promise<PaymentMethod> {
  const buyer = await chosenBuyer(world, account, 'id' in input ? await ofSession(world, account, input) : input)
  const owned = { buyer_id: buyer?.id ?? null, external_identifier: input.external_identifier ?? null }
  return insertPaymentMethod(world, await rowOf(world, account, input, owned), buyer)
}

/** A session that was made for a buyer stores for that one. */
async function ofSession(world: World, account: string, input: CheckoutSessionPaymentMethodCreate): Promise<BuyerSelectors> {
  const ofSession = (await readCheckoutSession(world, account, input.id))?.values.buyer_id
  if (!ofSession) return input
  const named = await chosenBuyer(world, account, input)
  if (named && named.id !== ofSession.toLowerCase()) throw invalid({ '/id': 'is the checkout session of another buyer' })
  return { buyer_id: ofSession }
}

type Owned = Pick<PaymentMethodRow, 'buyer_id' | 'external_identifier'>

async function rowOf(world: World, account: string, input: PaymentMethodCreate, owned: Owned): Promise<PaymentMethodRow> {
  if ('number' in input) return newStoredCard(world, account, await readDescribedCard(world, account, input, ''), owned)
  if ('redirect_url' in input)
    throw invalid({ '/method': `cannot be stored by itself: no payment service of the account keeps ${input.method} for later` })
  if ('account_holder' in input) return bankRow(world, account, input, owned)
  if ('token' in input) return plaidRow(world, account, input, owned)
  return sessionCard(world, account, input.id, owned)
}

/** The card that was entered into a checkout session; its security code stays there for a payment. */
async function sessionCard(world: World, account: string, id: string, owned: Owned): Promise<PaymentMethodRow> {
  const entered = (await readCheckoutSession(world, account, id))?.paymentMethod
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
