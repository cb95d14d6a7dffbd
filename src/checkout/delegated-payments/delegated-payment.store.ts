import type { Selectable } from 'kysely'
import { splitFingerprint } from '../../api/request/request-fingerprint.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { DelegatedPaymentTable } from '../../database/tables/checkout.ts'
import { type Claim, retryJournalWrite } from '../../operations/journal/journal.ts'
import { type DelegatedSecret, sealDelegatedCard } from '../../vault/secrets/delegated-card.ts'
import { storeSecurityCode } from '../../vault/secrets/security-code.ts'
import type { World } from '../../world.ts'
import type {
  DelegatedAllowance,
  DelegatedRiskSignal,
  DelegatePaymentResponse,
} from './delegate-payment.schema.ts'

export type DelegatedPaymentRow = Selectable<DelegatedPaymentTable>

const PREFIX = 'vt_'

/** The token of a delegated payment, as the platform and the merchant know it. */
export const tokenOf = (id: string): string => `${PREFIX}${id}`

const tokenForm = /^vt_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The id in a token; undefined: it is none. */
export const idOfToken = (token: string): string | undefined => tokenForm.exec(token)?.[1]

export interface NewDelegatedPayment {
  allowance: DelegatedAllowance
  secret: DelegatedSecret
  securityCode: string | null
  riskSignals: readonly DelegatedRiskSignal[]
  metadata: Record<string, string>
}

/**
 * Stores a delegated payment with its security code and the claim on the idempotency key, in one commit.
 * Throws `IdempotencyKeyTaken` if another request has claimed the key.
 */
export async function insertDelegatedPayment(
  world: World,
  account: string,
  { allowance, secret, securityCode, riskSignals, metadata }: NewDelegatedPayment,
  claim: Claim,
): Promise<DelegatePaymentResponse> {
  const id = world.ids.next()
  const now = timeOf(world.clock)
  const sealed = await sealDelegatedCard(world, account, id, secret)
  const answer: DelegatePaymentResponse = { id: tokenOf(id), created: now, metadata }
  const [fingerprint, canonical_fingerprint] = splitFingerprint(claim.fingerprint)
  await retryJournalWrite(() =>
    world.db.transaction().execute(async (db) => {
      await db
        .insertInto('idempotency_keys')
        .values({
          merchant_account_id: account,
          scope: claim.scope,
          key: claim.key,
          fingerprint,
          canonical_fingerprint,
          resource_id: id,
          representation: claim.representation,
          answer: JSON.stringify({ delegated_payment: answer }),
          created_at: now,
        })
        .execute()
      await db
        .insertInto('delegated_payments')
        .values({
          merchant_account_id: account,
          id,
          checkout_session_id: allowance.checkout_session_id,
          currency: allowance.currency.toUpperCase(),
          max_amount: allowance.max_amount,
          expires_at: allowance.expires_at,
          risk_signals: JSON.stringify(riskSignals),
          metadata: JSON.stringify(metadata),
          ...sealed,
          created_at: now,
          updated_at: now,
        })
        .execute()
      if (securityCode !== null)
        await storeSecurityCode({ db, keys: world.keys }, account, id, securityCode, allowance.expires_at)
      await recordChange(db, world, {
        account,
        action: 'created',
        resource: { type: 'delegated-payment', id, name: null },
      })
    }),
  )
  return answer
}

/** Undefined: the account has no delegated payment with this id. */
export const findDelegatedPayment = (
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<DelegatedPaymentRow | undefined> =>
  db
    .selectFrom('delegated_payments')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()

/** What a payment asks of a delegated payment. */
export interface DelegatedUse {
  /** The platform's id of the checkout session. */
  checkoutSessionId: string
  amount: number
  currency: string
}

/** Why a delegated payment cannot pay this, by member of the request; undefined: it can. */
export function problemWithUse(
  { clock }: Pick<World, 'clock'>,
  row: DelegatedPaymentRow | undefined,
  { checkoutSessionId, amount, currency }: DelegatedUse,
): Record<string, string> | undefined {
  if (!row) return { '/payment_method/token': 'is not a delegated payment of this account' }
  if (row.checkout_session_id !== checkoutSessionId)
    return { '/payment_method/checkout_session_id': 'is not the checkout session that the token is for' }
  if (row.used_at !== null) return { '/payment_method/token': 'has paid already' }
  if (Date.parse(row.expires_at) <= clock.now()) return { '/payment_method/token': 'has expired' }
  if (row.currency !== currency) return { '/currency': `must be ${row.currency}, the currency of the token` }
  if (amount > row.max_amount) return { '/amount': `exceeds what the token allows (${row.max_amount})` }
  if (row.transaction_id !== null)
    return { '/payment_method/token': 'is reserved for a payment whose outcome is not known yet' }
  return undefined
}
