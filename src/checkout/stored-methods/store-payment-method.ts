import { invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { type BuyerRow, findRequestedBuyer } from '../../buyers/buyer.store.ts'
import { readDescribedCard } from '../../vault/cards/described-card.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import type { PaymentMethod } from '../../vault/payment-methods/payment-method.schema.ts'
import { insertPaymentMethod } from '../../vault/payment-methods/payment-method.store.ts'
import { newPaymentMethod, newStoredCard, sealMethodSecret } from '../../vault/payment-methods/stored-card.ts'
import type { World } from '../../world.ts'
import { readSessionForPayment, type SessionForPayment } from '../sessions/checkout-session.store.ts'
import type {
  BankPaymentMethodCreate,
  PlaidPaymentMethodCreate,
  VaultedMethodCreate,
} from './payment-method-create.schema.ts'

/**
 * Stores a payment method without a payment (semantics §5.2); no payment service is asked. Throws 400, and
 * 409 if the external identifier is taken.
 */
export async function storePaymentMethod(
  world: World,
  account: string,
  input: VaultedMethodCreate,
): Promise<PaymentMethod> {
  const session = 'id' in input ? await readSessionForPayment(world, account, input.id) : undefined
  const buyer = await ownerOf(world, account, input, session)
  const owned = { buyer_id: buyer?.id ?? null, external_identifier: input.external_identifier ?? null }
  return insertPaymentMethod(world, await newMethodRow(world, account, input, owned, session), buyer)
}

/**
 * The buyer that the request names, else the session's. Throws 400 if the session has another buyer than the
 * request.
 */
async function ownerOf(
  world: World,
  account: string,
  input: VaultedMethodCreate,
  session: SessionForPayment | undefined,
): Promise<BuyerRow | undefined> {
  const requested = await findRequestedBuyer(world, account, input)
  const ofSession = session?.values.buyer_id
  if (!ofSession) return requested
  if (requested && requested.id !== canonicalId(ofSession))
    throw invalid({ '/id': 'is the checkout session of another buyer' })
  return requested ?? findRequestedBuyer(world, account, { buyer_id: ofSession })
}

type MethodOwner = Pick<PaymentMethodRow, 'buyer_id' | 'external_identifier'>

async function newMethodRow(
  world: World,
  account: string,
  input: VaultedMethodCreate,
  owned: MethodOwner,
  session: SessionForPayment | undefined,
): Promise<PaymentMethodRow> {
  if ('number' in input)
    return newStoredCard(world, account, await readDescribedCard(world, account, input, ''), owned)
  if ('redirect_url' in input)
    throw invalid({
      '/method': `cannot be stored by itself: no payment service of the account keeps ${input.method} for later`,
    })
  if ('account_holder' in input) return newBankRow(world, account, input, owned)
  if ('token' in input) return newPlaidRow(world, account, input, owned)
  return newSessionCardRow(world, account, session, owned)
}

/**
 * The card that was entered into a checkout session; its security code stays in the session for a payment.
 */
async function newSessionCardRow(
  world: World,
  account: string,
  session: SessionForPayment | undefined,
  owned: MethodOwner,
): Promise<PaymentMethodRow> {
  const method = session?.paymentMethod
  if (method?.kind !== 'card')
    throw invalid({ '/id': 'is not a checkout session of this account with a card' })
  const { number, expirationDate } = method.card
  return newStoredCard(
    world,
    account,
    await readDescribedCard(world, account, { number, expiration_date: expirationDate }, ''),
    owned,
  )
}

/** The label of a bank account is the last four characters of its number. */
function newBankRow(
  world: World,
  account: string,
  input: BankPaymentMethodCreate,
  owned: MethodOwner,
): Promise<PaymentMethodRow> {
  const { account_holder, account_number, routing_number = null, scheme = 'ach' } = input
  const row = {
    ...newPaymentMethod(world, account),
    ...owned,
    method: 'bank',
    mode: 'bank',
    label: account_number.slice(-4),
  }
  const details =
    'account_type' in input
      ? { account_type: input.account_type, is_tokenized: input.is_tokenized ?? false }
      : {}
  return sealMethodSecret(
    world,
    row,
    JSON.stringify({ scheme, account_holder, account_number, routing_number, ...details }),
  )
}

function newPlaidRow(
  world: World,
  account: string,
  { token, account_id = null, payment_service_id = null }: PlaidPaymentMethodCreate,
  owned: MethodOwner,
) {
  const row = { ...newPaymentMethod(world, account), ...owned, method: 'plaid', mode: 'bank' }
  return sealMethodSecret(world, row, JSON.stringify({ token, account_id, payment_service_id }))
}
