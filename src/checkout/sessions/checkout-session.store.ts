import type { Kysely, Selectable } from 'kysely'
import { enterAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { timeOf } from '../../base/clock.ts'
import { type BuyerRow, findBuyerRow } from '../../buyers/buyer.store.ts'
import { deleteRow } from '../../database/rows/delete-row.ts'
import { writeChanges } from '../../database/rows/write-changes.ts'
import type { CheckoutSessionTable } from '../../database/tables/checkout.ts'
import type { Tables } from '../../database/tables.ts'
import type { DescribedCard } from '../../vault/cards/described-card.ts'
import { noRowSecret } from '../../vault/secrets/row-secret.ts'
import {
  dropSecurityCode,
  prolongSecurityCode,
  storeSecurityCode,
} from '../../vault/secrets/security-code.ts'
import {
  openSessionSecret,
  type SessionSecret,
  sealSessionSecret,
} from '../../vault/secrets/session-secret.ts'
import type { World } from '../../world.ts'
import { showCartItem } from '../cart-item.ts'
import type {
  CheckoutSession,
  CheckoutSessionUpdate,
  CheckoutSessionValues,
} from './checkout-session.schema.ts'
import {
  type EnteredMethod,
  type EnteredMethodSnapshot,
  showEnteredMethod,
  type TokenizedCard,
} from './entered-method.ts'

export type CheckoutSessionRow = Selectable<CheckoutSessionTable>

const DEFAULT_LIFE_SECONDS = 3_600

const inSeconds = ({ clock }: Pick<World, 'clock'>, seconds: number) =>
  new Date(clock.now() + seconds * 1_000).toISOString()

/** Sessions that have not expired: an expired session is a 404 and is soon erased (semantics §9). */
const unexpiredSessions = (db: Kysely<Tables>, { clock }: Pick<World, 'clock'>) =>
  db.selectFrom('checkout_sessions').selectAll().where('expires_at', '>', timeOf(clock))

export async function insertCheckoutSession(
  world: World,
  account: string,
  input: CheckoutSessionUpdate,
): Promise<CheckoutSession> {
  const { expires_in = DEFAULT_LIFE_SECONDS, ...values } = input
  const now = timeOf(world.clock)
  const row = await world.db
    .insertInto('checkout_sessions')
    .values({
      merchant_account_id: account,
      id: world.ids.next(),
      details: JSON.stringify(values),
      ...noRowSecret,
      expires_at: inSeconds(world, expires_in),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toCheckoutSession(row)
}

/** Undefined: the account has no such session, or it has expired. */
export async function findCheckoutSession(
  world: World,
  account: string,
  id: string,
): Promise<CheckoutSession | undefined> {
  const row = await unexpiredSessions(world.db, world)
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toCheckoutSession(row)
}

/** For the browser, whose only credential is the id: a session of any account (semantics §0.6). */
export async function findSessionForBrowser(
  world: World,
  id: string,
): Promise<CheckoutSessionRow | undefined> {
  const session = await unexpiredSessions(world.db, world).where('id', '=', id).executeTakeFirst()
  if (!session || !(await enterAccountTime(world, session.merchant_account_id))) return session
  return unexpiredSessions(world.db, world).where('id', '=', id).executeTakeFirst()
}

/**
 * Changes the values that are named, and the expiry if `expires_in` is given. Undefined: the account has no
 * such session, or it has expired.
 */
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
    const columns = {
      details: JSON.stringify({ ...current.details, ...values }),
      ...(expiresAt && { expires_at: expiresAt }),
    }
    const updated = await writeChanges(db, 'checkout_sessions', current, columns, now)
    if (updated && expiresAt) await prolongSecurityCode({ db }, account, id, expiresAt)
    return updated ?? current
  })
  return row && toCheckoutSession(row)
}

/**
 * Deletes the session with everything that was entered. False: the account has no such session, or it has
 * expired.
 */
export const deleteCheckoutSession = (world: World, account: string, id: string): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const row = await deleteRow(db, 'checkout_sessions', account, id)
    if (!row) return false
    await dropSecurityCode({ db }, account, row.id)
    return Date.parse(row.expires_at) > world.clock.now()
  })

/**
 * Stores what a buyer entered, in place of what was entered before. False: the session is gone. The session's
 * row stays locked until the security code of this card is stored, too, so that two requests at once cannot
 * mix their cards and codes.
 */
export async function setSessionFields(
  world: World,
  { merchant_account_id: account, id }: CheckoutSessionRow,
  { snapshot, secret, securityCode }: EnteredMethod,
  postalCode: string | null,
): Promise<boolean> {
  const columns = secret ? await sealSessionSecret(world, account, id, secret) : noRowSecret
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('checkout_sessions')
      .set({
        payment_method: JSON.stringify(snapshot),
        postal_code: postalCode,
        // that of another card
        three_ds_method: null,
        ...columns,
        updated_at: now,
      })
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

/**
 * A session as a transaction takes it over (semantics §9). The security code is read separately, by
 * `takeSecurityCode` with the session's id.
 */
export interface SessionForPayment {
  id: string
  /** For the members that the request omits. Absent or null: the session has no value, either. */
  values: Partial<CheckoutSessionValues>
  /** For a billing address without a postal code. */
  postalCode: string | null
  /** The buyer's browser has begun the 3DS method of the card's issuer, and no payment has taken it yet. */
  hasThreeDSMethod: boolean
  /** Null: the buyer has entered nothing. */
  paymentMethod:
    | { kind: 'card'; card: { number: string; expirationDate: string }; snapshot: DescribedCard }
    | { kind: 'id'; id: string }
    | Extract<SessionSecret, { kind: 'click-to-pay' }>
    | { kind: 'provider-token'; token: string | Record<string, unknown>; card: TokenizedCard }
    | null
}

/**
 * The stored buyer of a session, by the id or by the guest's external identifier. Undefined: the session has
 * none.
 */
export const buyerOfSession = (
  world: World,
  account: string,
  { buyer_id, buyer }: Pick<SessionForPayment['values'], 'buyer_id' | 'buyer'>,
): Promise<BuyerRow | undefined> =>
  findBuyerRow(world, account, {
    id: buyer_id ?? null,
    externalIdentifier: buyer?.external_identifier ?? null,
  })

/** Undefined: the account has no such session, or it has expired. */
export async function readSessionForPayment(
  world: World,
  account: string,
  id: string,
): Promise<SessionForPayment | undefined> {
  const row = await unexpiredSessions(world.db, world)
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  return {
    id: row.id,
    values: row.details,
    postalCode: row.postal_code,
    hasThreeDSMethod: row.three_ds_method !== null,
    paymentMethod: await methodForPayment(world, row),
  }
}

export async function methodForPayment(
  world: World,
  row: CheckoutSessionRow,
): Promise<SessionForPayment['paymentMethod']> {
  const snapshot = enteredSnapshot(row)
  if (snapshot?.kind === 'id') return { kind: 'id', id: snapshot.id }
  const secret = await openSessionSecret(world, row)
  if (secret?.kind === 'click-to-pay') return secret
  if (secret?.kind === 'provider-token' && snapshot?.kind === 'provider-token')
    return { kind: 'provider-token', token: secret.token, card: snapshot }
  if (secret?.kind !== 'card' || snapshot?.kind !== 'card') return null
  const { kind: _, ...description } = snapshot
  return {
    kind: 'card',
    card: { number: secret.number, expirationDate: secret.expirationDate },
    snapshot: description,
  }
}

/** The column is written by `setSessionFields` only. */
export const enteredSnapshot = ({ payment_method }: CheckoutSessionRow) =>
  payment_method as EnteredMethodSnapshot | null

function toCheckoutSession(row: CheckoutSessionRow): CheckoutSession {
  // the column is written only from bodies of this shape
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
