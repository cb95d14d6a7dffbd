import type { Kysely, Selectable } from 'kysely'
import { splitFingerprint } from '../../api/request/request-fingerprint.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { AgenticCheckoutTable } from '../../database/tables/checkout.ts'
import type { Tables } from '../../database/tables.ts'
import { type Claim, retryJournalWrite } from '../../operations/journal/journal.ts'
import type { World } from '../../world.ts'
import type { CheckedPrice } from '../prices/ask-price.ts'
import type { AgenticOrderReference, Price } from '../prices/price.schema.ts'
import type { CheckoutRequest } from './checkout-request.schema.ts'

type StoredRow = Selectable<AgenticCheckoutTable>

/** A checkout, with its JSON columns as this file writes them. */
export interface AgenticCheckoutRow extends Omit<StoredRow, 'request' | 'price' | 'order'> {
  /** Empty: an erasure of personal data has removed it. */
  request: Partial<CheckoutRequest>
  price: Omit<Price, 'status' | 'currency' | 'order'>
  order: AgenticOrderReference | null
}

/** The columns are written by this file and by an erasure, in these shapes. */
const toRow = (row: StoredRow): AgenticCheckoutRow => row as AgenticCheckoutRow

/** How long a checkout can be completed after its last price, in milliseconds. */
export const CHECKOUT_LIFE_MS = 24 * 3_600_000

/** Undefined: the platform has no such checkout in this account. */
export async function findCheckout(
  { db }: { db: Kysely<Tables> },
  account: string,
  platform: string,
  id: string,
): Promise<AgenticCheckoutRow | undefined> {
  const row = await db
    .selectFrom('agentic_checkouts')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('platform_id', '=', platform)
    .executeTakeFirst()
  return row && toRow(row)
}

const pricedColumns = (
  { clock }: Pick<World, 'clock'>,
  { status, currency: _, order, amount, ...price }: CheckedPrice,
) => ({
  price: JSON.stringify(price),
  amount,
  ready: status === 'ready_for_payment',
  order: order ? JSON.stringify(order) : null,
  expires_at: new Date(clock.now() + CHECKOUT_LIFE_MS).toISOString(),
  updated_at: timeOf(clock),
})

export interface NewCheckout {
  account: string
  platform: string
  id: string
  currency: string
  request: CheckoutRequest
}

/** Throws `IdempotencyKeyTaken` if another request has claimed the key. */
export const insertCheckout = (
  world: World,
  { account, platform, id, currency, request }: NewCheckout,
  price: CheckedPrice,
  claim: Claim,
): Promise<AgenticCheckoutRow> =>
  underKey(world, account, id, 'created', claim, async (db) =>
    toRow(
      await db
        .insertInto('agentic_checkouts')
        .values({
          merchant_account_id: account,
          id,
          platform_id: platform,
          status: 'open',
          revision: 1,
          request: JSON.stringify(request),
          currency,
          created_at: timeOf(world.clock),
          ...pricedColumns(world, price),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    ),
  )

/**
 * Gives a checkout another cart and its price. Undefined, and nothing is written: it is not open any more, or
 * another request has priced it meanwhile. Throws `IdempotencyKeyTaken` if another request has claimed the key.
 */
export const repriceCheckout = (
  world: World,
  row: AgenticCheckoutRow,
  request: Partial<CheckoutRequest>,
  price: CheckedPrice,
  claim: Claim | undefined,
): Promise<AgenticCheckoutRow | undefined> =>
  underKey(world, row.merchant_account_id, row.id, 'updated', claim, async (db) => {
    const updated = await openRow(db, world, row)
      .where('revision', '=', row.revision)
      .set({
        request: JSON.stringify(request),
        revision: row.revision + 1,
        error_code: null,
        ...pricedColumns(world, price),
      })
      .returningAll()
      .executeTakeFirst()
    return updated && toRow(updated)
  })

/** Undefined, and nothing is written: it is not open any more. */
export const cancelCheckout = (
  world: World,
  row: AgenticCheckoutRow,
  claim: Claim,
): Promise<AgenticCheckoutRow | undefined> =>
  underKey(world, row.merchant_account_id, row.id, 'canceled', claim, async (db) => {
    const canceled = await openRow(db, world, row)
      .set({ status: 'canceled', updated_at: timeOf(world.clock) })
      .returningAll()
      .executeTakeFirst()
    return canceled && toRow(canceled)
  })

const openRow = (db: Kysely<Tables>, { clock }: Pick<World, 'clock'>, row: AgenticCheckoutRow) =>
  db
    .updateTable('agentic_checkouts')
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('id', '=', row.id)
    .where('status', '=', 'open')
    .where('expires_at', '>', timeOf(clock))

/** Does the change and claims its idempotency key in one commit; where nothing changes, nothing is claimed. */
const underKey = <Row extends AgenticCheckoutRow | undefined>(
  world: World,
  account: string,
  id: string,
  action: 'created' | 'updated' | 'canceled',
  claim: Claim | undefined,
  change: (db: Kysely<Tables>) => Promise<Row>,
): Promise<Row> =>
  retryJournalWrite(() =>
    world.db.transaction().execute(async (db) => {
      const row = await change(db)
      if (!row) return row
      if (claim) await insertClaim(db, world, account, id, claim)
      await recordChange(db, world, {
        account,
        action,
        resource: { type: 'agentic-checkout', id, name: null },
      })
      return row
    }),
  )

/**
 * The key has no answer of its own: a repeated request is answered with the checkout as it is, which holds for
 * as long as the checkout does. An answer in `idempotency_keys` would keep the buyer's data a second time.
 */
async function insertClaim(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  account: string,
  id: string,
  { scope, key, fingerprint: of, representation }: Claim,
): Promise<void> {
  const [fingerprint, canonical_fingerprint] = splitFingerprint(of)
  await db
    .insertInto('idempotency_keys')
    .values({
      merchant_account_id: account,
      scope,
      key,
      fingerprint,
      canonical_fingerprint,
      resource_id: id,
      representation,
      answer: null,
      created_at: timeOf(clock),
    })
    .execute()
}
