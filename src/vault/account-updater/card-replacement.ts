import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { timeOf } from '../../base/clock.ts'
import type { CardForCall, Exchange } from '../../connectors/connector.ts'
import { instrumentedHttp, recordExchanges } from '../../connectors/http.ts'
import { redactor } from '../../connectors/redact.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { World } from '../../world.ts'
import { cardExpiryProblem, snapshotOfCard } from '../cards/card.ts'
import { isSameCard } from '../cards/card-fingerprint.ts'
import { type DescribedCard, describeCard } from '../cards/described-card.ts'
import { showPaymentMethod } from '../payment-methods/payment-method.representation.ts'
import type { PaymentMethodRow } from '../payment-methods/payment-method.row.ts'
import { buyerOfMethod } from '../payment-methods/payment-method.store.ts'
import { sealMethodSecret } from '../payment-methods/stored-card.ts'
import { openRowSecret, sealRowSecret } from '../secrets/row-secret.ts'

/** A card that was refused as invalid. `method`: of the stored payment method that holds it; null: it is not stored. */
export interface RefusedCard {
  card: CardForCall
  method: string | null
  simulated: Record<string, unknown> | null
}

/** The card that its issuer has put in the place of another. */
export interface NewerCard {
  number: string
  snapshot: DescribedCard
}

/** `expiry`: `MM/YY`. What a request said of the card before is not true of this one. */
const describeNewerCard = async (world: World, account: string, number: string, expiry: string): Promise<NewerCard> => ({
  number,
  snapshot: await describeCard(world, number, { ...snapshotOfCard(world, account, number, expiry), card_type: null }),
})

/**
 * The newer details of a refused card: those held in standby, else what the account updater says now (SEMANTICS §16.5). A stored card is replaced by
 * them. `exchange`: what was asked and answered, without card data.
 */
export async function findNewerCard(world: World, account: string, refused: RefusedCard): Promise<{ news?: NewerCard; exchange?: Exchange }> {
  const held = refused.method === null ? undefined : await readStandby(world, account, refused.method)
  if (held) return { news: await applyNewerCard(world, account, refused, held) }
  const { accountUpdater } = world.schemes
  if (!accountUpdater || !(refused.simulated || (await cachedMerchantAccount(world, account))?.account_updater_enabled)) return {}
  const { number, expirationDate } = refused.card
  const { request, exchanges } = recordExchanges(
    instrumentedHttp(world, { definition: 'account-updater', operation: 'account_update' }),
    world.clock,
    world.ids,
    redactor(number),
  )
  const answer = await accountUpdater.inquire(request, { id: world.ids.next(), number, expirationDate, simulated: refused.simulated })
  const [exchange] = exchanges
  const told = answer.status === 'done' && answer.value.result === 'updated' ? answer.value : undefined
  if (!told || cardExpiryProblem(told.expirationDate, world.clock.now())) return { ...(exchange && { exchange }) }
  const news = await describeNewerCard(world, account, told.number, told.expirationDate)
  return { news: await applyNewerCard(world, account, refused, news), ...(exchange && { exchange }) }
}

async function applyNewerCard(world: World, account: string, { card, method }: RefusedCard, news: NewerCard): Promise<NewerCard> {
  if (method !== null) await replaceStoredCard(world, account, method, card, news)
  return news
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

/** Holds newer details of a stored card until it proves invalid. Not where the card has become another one since it was asked about, or was deleted. */
export async function storeStandby(world: World, asked: PaymentMethodRow, number: string, expiry: string): Promise<void> {
  const { merchant_account_id: account, id } = asked
  await changeStoredCard(world, account, id, async (db, row) => {
    if (!isSameCard(world, row, asked) || row.expiration_date !== asked.expiration_date) return undefined
    const held = { expiration_date: expiry, ...(await sealRowSecret(world, 'card_replacements', asked, number)), created_at: timeOf(world.clock) }
    await db
      .insertInto('card_replacements')
      .values({ merchant_account_id: account, id, ...held })
      .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(held))
      .execute()
    return { has_replacement: true }
  })
}

/** Of two payments that find the card refused, one replaces it. */
async function replaceStoredCard(world: World, account: string, id: string, old: CardForCall, { number, snapshot }: NewerCard): Promise<void> {
  const before = snapshotOfCard(world, account, old.number, old.expirationDate)
  await changeStoredCard(world, account, id, async (db, row) => {
    if (!isSameCard(world, row, { ...row, fingerprint: before.fingerprint }) || row.expiration_date !== before.expiration_date) return undefined
    await db.deleteFrom('card_replacements').where('merchant_account_id', '=', account).where('id', '=', id).execute()
    const { key_id, data_key, sealed } = await sealMethodSecret(world, row, number)
    return { ...snapshot, key_id, data_key, sealed, has_replacement: false, last_replaced_at: timeOf(world.clock) }
  })
}

/** Changes a stored card and tells of it. One that is stored with a payment under way is nobody's news yet. */
async function changeStoredCard(
  world: World,
  account: string,
  id: string,
  change: (db: World['db'], row: PaymentMethodRow) => Promise<Partial<PaymentMethodRow> | undefined>,
): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const row = await db
      .selectFrom('payment_methods')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
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
