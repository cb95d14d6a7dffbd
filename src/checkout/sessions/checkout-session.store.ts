import type { Kysely, Selectable } from 'kysely'
import { enterAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { timeOf } from '../../base/clock.ts'
import { type BuyerRow, findBuyerRow } from '../../buyers/buyer.store.ts'
import type { CheckoutSessionTable } from '../../database/tables/checkout.ts'
import type { Tables } from '../../database/tables.ts'
import { writeChanges } from '../../database/write-changes.ts'
import type { DescribedCard } from '../../vault/cards/described-card.ts'
import { dropSecurityCode, prolongSecurityCode, storeSecurityCode } from '../../vault/secrets/security-code.ts'
import { noSessionSecret, openSessionSecret, type SessionSecret, sealSessionSecret } from '../../vault/secrets/session-secret.ts'
import type { World } from '../../world.ts'
import { showCartItem } from '../cart-item.ts'
import type { CheckoutSession, CheckoutSessionUpdate, CheckoutSessionValues } from './checkout-session.schema.ts'
import { type EnteredMethod, type EnteredMethodSnapshot, showEnteredMethod } from './entered-method.ts'

export type CheckoutSessionRow = Selectable<CheckoutSessionTable>

const DEFAULT_LIFE_SECONDS = 3_600

const inSeconds = ({ clock }: Pick<World, 'clock'>, seconds: number) => new Date(clock.now() + seconds * 1_000).toISOString()

/** Only those that have not expired: the others are as if they were gone, and soon are (SEMANTICS §9). */
const unexpiredSessions = (db: Kysely<Tables>, { clock }: Pick<World, 'clock'>) =>
  db.selectFrom('checkout_sessions').selectAll().where('expires_at', '>', timeOf(clock))

export async function insertCheckoutSession(world: World, account: string, input: CheckoutSessionUpdate): Promise<CheckoutSession> {
  const { expires_in = DEFAULT_LIFE_SECONDS, ...values } = input
  const now = timeOf(world.clock)
  const row = await world.db
    .insertInto('checkout_sessions')
    .values({
      merchant_account_id: account,
      id: world.ids.next(),
      details: JSON.stringify(values),
      ...noSessionSecret,
      expires_at: inSeconds(world, expires_in),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toCheckoutSession(row)
}

/** Undefined: the account has none of this id that lives. */
export async function findCheckoutSession(world: World, account: string, id: string): Promise<CheckoutSession | undefined> {
  const row = await unexpiredSessions(world.db, world).where('merchant_account_id', '=', account).where('id', '=', id).executeTakeFirst()
  return row && toCheckoutSession(row)
}

/** For the browser, whose only credential is the id: whosever session it is (SEMANTICS §0.6). */
export async function findSessionForBrowser(world: World, id: string): Promise<CheckoutSessionRow | undefined> {
  const session = await unexpiredSessions(world.db, world).where('id', '=', id).executeTakeFirst()
  if (!session || !(await enterAccountTime(world, session.merchant_account_id))) return session
  return unexpiredSessions(world.db, world).where('id', '=', id).executeTakeFirst()
}

/** Changes the values that are named. Undefined: there is none. The clock starts anew where `expires_in` is given. */
export async function updateCheckoutSession(
  world: World,
  account: string,
  id: string,
  { expires_in, ...values }: CheckoutSessionUpdate,
): Promise<CheckoutSession | undefined> {
  const now = timeOf(world.clock)
  const expiresAt = expires_in === undefined ? undefined : inSeconds(world, expires_in)
  const row = await world.db.transaction().execute(async (db) => {
    const current = await db
      .selectFrom('checkout_sessions')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .forUpdate()
      .executeTakeFirst()
    if (!current) return undefined
    const columns = { details: JSON.stringify({ ...current.details, ...values }), ...(expiresAt && { expires_at: expiresAt }) }
    const updated = await writeChanges(db, 'checkout_sessions', current, columns, now)
    if (updated && expiresAt) await prolongSecurityCode({ db }, account, id, expiresAt)
    return updated ?? current
  })
  return row && toCheckoutSession(row)
}

/** With everything that was entered. False: there is none. */
export const deleteCheckoutSession = (world: World, account: string, id: string): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const row = await db
      .deleteFrom('checkout_sessions')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returning(['id', 'expires_at'])
      .executeTakeFirst()
    if (!row) return false
    await dropSecurityCode({ db }, account, row.id)
    return Date.parse(row.expires_at) > world.clock.now()
  })

/**
 * Keeps what a buyer entered in the place of what was there. False: the session has gone meanwhile. The session's row is locked until its security code
 * is the one of this card too: of two requests at once, both win or neither.
 */
export async function setSessionFields(
  world: World,
  { merchant_account_id: account, id }: CheckoutSessionRow,
  { snapshot, secret, securityCode }: EnteredMethod,
  postalCode: string | null,
): Promise<boolean> {
  const columns = secret ? await sealSessionSecret(world, account, id, secret) : noSessionSecret
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('checkout_sessions')
      .set({ payment_method: JSON.stringify(snapshot), postal_code: postalCode, ...columns, updated_at: now })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('expires_at', '>', now)
      .returning('expires_at')
      .executeTakeFirst()
    if (!row) return false
    if (securityCode === null) await dropSecurityCode({ db }, account, id)
    else await storeSecurityCode({ db, keys: world.keys }, account, id, securityCode, row.expires_at)
    return true
  })
}

/** A session as a transaction takes it over (SEMANTICS §9). The security code is fetched apart, by `takeSecurityCode` with the session's id. */
export interface SessionForPayment {
  id: string
  /** Where the request omits them. Absent or null: the session says nothing either. */
  values: Partial<CheckoutSessionValues>
  /** For the billing address where it has none. */
  postalCode: string | null
  /** Null: nothing was entered. */
  paymentMethod:
    | { kind: 'card'; card: { number: string; expirationDate: string }; snapshot: DescribedCard }
    | { kind: 'id'; id: string }
    | Extract<SessionSecret, { kind: 'click-to-pay' }>
    | null
}

/** The stored buyer that a session was made for, by the id or by the guest's external identifier. Undefined: it was made for none. */
export const buyerOfSession = (
  world: World,
  account: string,
  { buyer_id, buyer }: Pick<SessionForPayment['values'], 'buyer_id' | 'buyer'>,
): Promise<BuyerRow | undefined> => findBuyerRow(world, account, { id: buyer_id ?? null, externalIdentifier: buyer?.external_identifier ?? null })

/** Undefined: it is unknown, another account's, or has expired. */
export async function readSessionForPayment(world: World, account: string, id: string): Promise<SessionForPayment | undefined> {
  const row = await unexpiredSessions(world.db, world).where('merchant_account_id', '=', account).where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  return { id: row.id, values: row.details, postalCode: row.postal_code, paymentMethod: await methodForPayment(world, row) }
}

async function methodForPayment(world: World, row: CheckoutSessionRow): Promise<SessionForPayment['paymentMethod']> {
  const snapshot = enteredSnapshot(row)
  if (snapshot?.kind === 'id') return { kind: 'id', id: snapshot.id }
  const secret = await openSessionSecret(world, row)
  if (secret?.kind === 'click-to-pay') return secret
  if (secret?.kind !== 'card' || snapshot?.kind !== 'card') return null
  const { kind: _, ...shown } = snapshot
  return { kind: 'card', card: { number: secret.number, expirationDate: secret.expirationDate }, snapshot: shown }
}

/** The column is written by `setFields` only. */
export const enteredSnapshot = ({ payment_method }: CheckoutSessionRow) => payment_method as EnteredMethodSnapshot | null

function toCheckoutSession(row: CheckoutSessionRow): CheckoutSession {
  // written from a body of this shape only
  const values: Partial<CheckoutSessionValues> = row.details
  const snapshot = enteredSnapshot(row)
  return {
    type: 'checkout-session',
    id: row.id,
    cart_items: values.cart_items?.map(showCartItem) ?? null,
    metadata: values.metadata ?? null,
    buyer: values.buyer ?? null,
    buyer_id: values.buyer_id ?? null,
    airline: values.airline ?? null,
    amount: values.amount ?? null,
    currency: values.currency ?? null,
    payment_service_id: values.payment_service_id ?? null,
    expires_at: row.expires_at,
    payment_method: snapshot && showEnteredMethod(snapshot),
  }
}
