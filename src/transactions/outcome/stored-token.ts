import type { StoredTokenRecord } from '../../operations/journal/record-outcome.ts'
import { isPaymentKind, type OperationOutcome, type OperationRow } from '../../operations/operation.ts'
import { toJsonRow } from '../../vault/payment-methods/stored-card.ts'
import { columnsOfStoredCard } from '../../vault/payment-methods/token-method.ts'
import { sealRowSecret } from '../../vault/secrets/row-secret.ts'
import type { World } from '../../world.ts'
import { storesMethod, type TransactionRow } from '../transaction.row.ts'

/**
 * Whether the payment stores its method by the payment service's token alone: a card whose number Railyard does not
 * have, or the account in which the buyer approves.
 */
export const storesByToken = (row: TransactionRow): boolean =>
  storesMethod(row) && (row.instrument_type === 'card_token' || row.instrument_type === 'redirect')

/** The longest token that the API can show. */
const MAX_TOKEN = 10_000

/** The provider's token in an outcome that Railyard can store; undefined: there is none. */
export const storableToken = (outcome: OperationOutcome): string | undefined =>
  outcome.status === 'approved' && outcome.storedToken && outcome.storedToken.length <= MAX_TOKEN
    ? outcome.storedToken
    : undefined

/**
 * Seals the provider's token for the commit that records the outcome, so that the payment and its stored
 * method are there together or not at all. Null: the payment stores no method, or the provider gave no token.
 */
export async function sealStoredToken(
  world: World,
  row: TransactionRow,
  { kind, merchant_account_id, payment_service_id }: OperationRow,
  outcome: OperationOutcome,
): Promise<StoredTokenRecord | null> {
  const token = storableToken(outcome)
  if (token === undefined || !isPaymentKind(kind) || !storesByToken(row)) return null
  const card =
    outcome.status === 'approved' && outcome.storedCard ? columnsOfStoredCard(outcome.storedCard) : {}
  const { card_country: issuer_country, ...shown } = card
  const id = world.ids.next()
  const sealed = await sealRowSecret(world, 'payment_service_tokens', { merchant_account_id, id }, token)
  return {
    row: toJsonRow({ id, payment_service_id, ...sealed }),
    card,
    shown: { ...shown, ...(issuer_country && { issuer_country }) },
  }
}
