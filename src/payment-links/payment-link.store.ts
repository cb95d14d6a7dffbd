import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { enterAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { cachedMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import { invalid } from '../api/errors.ts'
import { requestFingerprint, splitFingerprint } from '../api/request/request-fingerprint.ts'
import { timeOf } from '../base/clock.ts'
import { findStoredRequest, requireSameBody, requireValidKey } from '../database/idempotency-key.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import type { ResourceTarget } from '../database/tables/events.ts'
import type { Tables } from '../database/tables.ts'
import { paymentLinkTarget } from '../operations/journal/functions/payment-link.sql.ts'
import { readDraft } from '../transactions/create/draft.ts'
import { readPayer } from '../transactions/create/payer.ts'
import type { World } from '../world.ts'
import { paymentLinkProblems, paymentTermsOf } from './payment-link.rules.ts'
import type { PaymentLinkCreate } from './payment-link.schema.ts'
import {
  DEFAULT_LIFE_MS,
  linkDetailKeys,
  type PaymentLinkDetails,
  type PaymentLinkRow,
  sealLink,
  tokenHash,
} from './payment-link.ts'

const TOKEN_BYTES = 32

/** The event's target, from the row that the statement has written. */
const target = sql<ResourceTarget>`${sql.raw(paymentLinkTarget('payment_links'))}`.as('target')

const KEY_SCOPE = 'POST /payment-links'

/**
 * Creates a link, once for each idempotency key: a repetition answers the first link as it is now. Throws 400
 * for a link that no buyer could pay, 409 for a key that another link was created with.
 */
export async function insertPaymentLink(
  world: World,
  account: string,
  body: PaymentLinkCreate,
  key: string | undefined,
): Promise<PaymentLinkRow> {
  requireValidKey(key)
  const id = (await linkOfKey(world, account, body, key)) ?? (await insertNewLink(world, account, body, key))
  return readExisting(world, account, id ?? (await linkOfKey(world, account, body, key)) ?? '')
}

/** The link that was created with this key. Throws 409 if its request had another body. */
async function linkOfKey(
  world: World,
  account: string,
  body: PaymentLinkCreate,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined) return undefined
  const stored = await findStoredRequest(world, { account, scope: KEY_SCOPE, key })
  if (stored) requireSameBody(world, stored, body)
  return stored?.resource_id
}

/** Answers the id; undefined: another request has claimed the key meanwhile. */
async function insertNewLink(
  world: World,
  account: string,
  body: PaymentLinkCreate,
  key: string | undefined,
): Promise<string | undefined> {
  const id = world.ids.next()
  const input = {
    ...body,
    intent: body.intent ?? (await cachedMerchantAccount(world, account))?.payment_link_intent ?? 'authorize',
  }
  const problems = paymentLinkProblems(world, id, input)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const terms = paymentTermsOf(input)
  const { buyer } = await readPayer(
    world,
    account,
    readDraft({ ...terms, payment_method: { method: 'checkout-session', id } }, world),
    undefined,
  )
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    if (key !== undefined && !(await claimKey(db, world, { account, id, key, body }))) return undefined
    await db
      .insertInto('payment_links')
      .values({
        merchant_account_id: account,
        id,
        token_hash: tokenHash(world, token),
        secrets: sealLink(world, id, { token, connectionOptions: input.connection_options ?? null }),
        status: 'active',
        transaction_id: null,
        expires_at: input.expires_at ?? new Date(Date.parse(now) + DEFAULT_LIFE_MS).toISOString(),
        amount: terms.amount,
        country: input.country,
        currency: terms.currency,
        intent: terms.intent,
        payment_source: terms.payment_source,
        store: terms.store,
        buyer_id: input.buyer_id ?? null,
        buyer: buyer && JSON.stringify(buyer),
        external_identifier: input.external_identifier ?? null,
        metadata: terms.metadata && JSON.stringify(terms.metadata),
        details: JSON.stringify(detailsOf(input)),
        created_at: now,
        updated_at: now,
      })
      .execute()
    // read by a statement of its own: Citus returns no JSON of a row that it inserts
    const inserted = await db
      .selectFrom('payment_links')
      .select(target)
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await recordEvent(db, world, { account, name: 'payment-link.created', target: inserted.target })
    await recordChange(db, world, {
      account,
      action: 'created',
      resource: { type: 'payment-link', id, name: input.external_identifier ?? null },
    })
    return id
  })
}

/** Whether the key is this link's: a claim of another request under way is waited for. */
async function claimKey(
  db: Kysely<Tables>,
  { cipher, clock }: World,
  { account, id, key, body }: { account: string; id: string; key: string; body: PaymentLinkCreate },
): Promise<boolean> {
  const [fingerprint, canonical_fingerprint] = splitFingerprint(requestFingerprint(cipher, body))
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values({
      merchant_account_id: account,
      scope: KEY_SCOPE,
      key,
      fingerprint,
      canonical_fingerprint,
      resource_id: id,
      representation: 'payment-link',
      // a link is shown as it is now
      answer: null,
      created_at: timeOf(clock),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

const detailsOf = (input: PaymentLinkCreate): PaymentLinkDetails => ({
  ...Object.fromEntries(
    linkDetailKeys.filter((key) => (input[key] ?? null) !== null).map((key) => [key, input[key]]),
  ),
  ...(input.buyer && { guest: input.buyer }),
})

/** Links as they are now: a link whose time is over is expired, even if its row still says active. */
export const selectLinks = (db: Kysely<Tables>, now: string) =>
  db
    .selectFrom('payment_links')
    .selectAll()
    .select(
      sql<
        PaymentLinkRow['status']
      >`case when status = 'active' and expires_at <= ${now}::timestamptz then 'expired' else status end`.as(
        'status',
      ),
    )
    .$castTo<PaymentLinkRow>()

/** Undefined: the account has no link with this id. */
export const findPaymentLink = (
  world: Pick<World, 'db' | 'clock'>,
  account: string,
  id: string,
): Promise<PaymentLinkRow | undefined> =>
  selectLinks(world.db, timeOf(world.clock))
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()

async function readExisting(world: World, account: string, id: string): Promise<PaymentLinkRow> {
  const row = await findPaymentLink(world, account, id)
  if (!row) throw new Error(`payment link ${id} does not exist, though it was just written`)
  return row
}

/** The link of a URL's token, of any account, read under that account's clock. Undefined: there is none. */
export async function findLinkByToken(world: World, token: string): Promise<PaymentLinkRow | undefined> {
  const link = await selectLinks(world.db, timeOf(world.clock))
    .where('token_hash', '=', tokenHash(world, token))
    .executeTakeFirst()
  if (!link || !(await enterAccountTime(world, link.merchant_account_id))) return link
  return findPaymentLink(world, link.merchant_account_id, link.id)
}
