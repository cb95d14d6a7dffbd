import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { timeOf } from '../../base/clock.ts'
import type { CardForCall, Exchange } from '../../connectors/contract/call.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { lockRow } from '../../database/rows/lock-row.ts'
import type { World } from '../../world.ts'
import { cardExpiryProblem, snapshotOfCard } from '../cards/card.ts'
import { isSameCard } from '../cards/card-fingerprint.ts'
import { type DescribedCard, describeCard } from '../cards/described-card.ts'
import { showPaymentMethod } from '../payment-methods/payment-method.representation.ts'
import type { PaymentMethodRow } from '../payment-methods/payment-method.row.ts'
import { buyerOfMethod } from '../payment-methods/payment-method.store.ts'
import { sealMethodSecret } from '../payment-methods/stored-card.ts'
import { openRowSecret, sealRowSecret } from '../secrets/row-secret.ts'

/**
 * A card that was refused as invalid. `method`: the stored payment method that has it; null: it is not
 * stored.
 */
export interface RefusedCard {
  card: CardForCall
  method: string | null
  simulated: Record<string, unknown> | null
}

/** The card with which an issuer has replaced another one. */
export interface NewerCard {
  number: string
  snapshot: DescribedCard
}

/** `expiry`: `MM/YY`. The card type that a request named for the old card does not apply to the newer one. */
const describeNewerCard = async (
  world: World,
  account: string,
  number: string,
  expiry: string,
): Promise<NewerCard> => ({
  number,
  snapshot: await describeCard(world, number, {
    ...snapshotOfCard(world, account, number, expiry),
    card_type: null,
  }),
})

/**
 * The result of `findNewerCard`. `exchange`: the request to the account updater and its answer, without card
 * data; null: it was not asked.
 */
export type NewerCardSearch =
  | { kind: 'found'; newerCard: NewerCard; exchange: Exchange | null }
  | { kind: 'none'; exchange: Exchange | null }

/**
 * Looks for the newer details of a refused card: in standby, else at the account updater (semantics §16.5). A
 * stored card is replaced by them.
 */
export async function findNewerCard(
  world: World,
  account: string,
  refused: RefusedCard,
): Promise<NewerCardSearch> {
  const standby = refused.method === null ? undefined : await readStandby(world, account, refused.method)
  if (standby) return applyNewerCard(world, account, refused, standby, null)
  const { accountUpdater } = world.schemes
  if (
    !accountUpdater ||
    !(refused.simulated || (await cachedMerchantAccount(world, account))?.account_updater_enabled)
  )
    return { kind: 'none', exchange: null }
  const { number, expirationDate } = refused.card
  const { request, exchanges } = recordExchanges(
    instrumentedHttp(world, { definition: 'account-updater', operation: 'account_update' }),
    world.clock,
    world.ids,
    redactor(number),
  )
  const answer = await accountUpdater.inquire(request, {
    id: world.ids.next(),
    number,
    expirationDate,
    simulated: refused.simulated,
  })
  const [exchange = null] = exchanges
  const updated = answer.status === 'done' && answer.value.result === 'updated' ? answer.value : undefined
  if (!updated || cardExpiryProblem(updated.expirationDate, world.clock.now()))
    return { kind: 'none', exchange }
  return applyNewerCard(
    world,
    account,
    refused,
    await describeNewerCard(world, account, updated.number, updated.expirationDate),
    exchange,
  )
}

async function applyNewerCard(
  world: World,
  account: string,
  { card, method }: RefusedCard,
  newerCard: NewerCard,
  exchange: Exchange | null,
): Promise<NewerCardSearch> {
  if (method !== null) await replaceStoredCard(world, account, method, card, newerCard)
  return { kind: 'found', newerCard, exchange }
}

async function readStandby(world: World, account: string, id: string): Promise<NewerCard | undefined> {
  const row = await world.db
    .selectFrom('card_replacements')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  const number = row && (await openRowSecret(world, 'card_replacements', row))
  return number ? describeNewerCard(world, account, number, row.expiration_date) : undefined
}

/**
 * Stores newer details of a stored card until the card proves invalid. Nothing is stored if the card was
 * replaced or deleted since the inquiry began.
 */
export async function storeStandby(
  world: World,
  inquired: PaymentMethodRow,
  number: string,
  expiry: string,
): Promise<void> {
  const { merchant_account_id: account, id } = inquired
  await changeStoredCard(world, account, id, async (db, row) => {
    if (!isSameCard(world, row, inquired) || row.expiration_date !== inquired.expiration_date)
      return undefined
    const standby = {
      expiration_date: expiry,
      ...(await sealRowSecret(world, 'card_replacements', inquired, number)),
      created_at: timeOf(world.clock),
    }
    await db
      .insertInto('card_replacements')
      .values({ merchant_account_id: account, id, ...standby })
      .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(standby))
      .execute()
    return { has_replacement: true }
  })
}

/** Replaces a stored card by its newer details; of two payments that find the card refused, one does it. */
async function replaceStoredCard(
  world: World,
  account: string,
  id: string,
  old: CardForCall,
  { number, snapshot }: NewerCard,
): Promise<void> {
  const before = snapshotOfCard(world, account, old.number, old.expirationDate)
  await changeStoredCard(world, account, id, async (db, row) => {
    if (
      !isSameCard(world, row, { ...row, fingerprint: before.fingerprint }) ||
      row.expiration_date !== before.expiration_date
    )
      return undefined
    await db
      .deleteFrom('card_replacements')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
    const { key_id, data_key, sealed } = await sealMethodSecret(world, row, number)
    return {
      ...snapshot,
      key_id,
      data_key,
      sealed,
      has_replacement: false,
      last_replaced_at: timeOf(world.clock),
    }
  })
}

/**
 * Changes a stored card and writes the event. A provisional card, of a payment under way, has no events yet.
 */
async function changeStoredCard(
  world: World,
  account: string,
  id: string,
  change: (db: World['db'], row: PaymentMethodRow) => Promise<Partial<PaymentMethodRow> | undefined>,
): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const row = await lockRow(db, 'payment_methods', account, id)
    const changes = row && (await change(db, row))
    if (!row || !changes) return
    const changed = await db
      .updateTable('payment_methods')
      .set({ ...changes, updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (changed.provisional) return
    const target = showPaymentMethod(changed, await buyerOfMethod({ db }, changed))
    await recordEvent(db, world, { account, name: 'payment-method.updated', target })
  })
}
