import type { Kysely, Selectable } from 'kysely'
import { isCurrency } from '../api/currency.ts'
import { invalid } from '../api/errors.ts'
import { recorded } from '../database/audit-log.ts'
import type { GiftCardIssuanceTable } from '../database/tables/vault.ts'
import type { Tables } from '../database/tables.ts'
import { timeOf, type World } from '../world.ts'
import { carryOut, type Kept } from './carry-out.ts'
import type { GiftCardIssuance, GiftCardIssuanceCreate } from './gift-card.schema.ts'
import type { GiftCardServiceRow } from './gift-card-service.store.ts'
import { serviceLost, showService } from './service-call.ts'

const SCOPE = 'POST /gift-cards/issuances'

/** Has the gift card service make a virtual card. Its number never comes to us: the buyer finds it at `url`. */
export async function issueGiftCard(
  world: World,
  account: string,
  input: GiftCardIssuanceCreate,
  key: string | undefined,
): Promise<GiftCardIssuance> {
  const { theme, amount, currency, external_identifier: reference = null } = input
  if (!isCurrency(currency)) throw invalid({ '/currency': 'is not an ISO 4217 code' })
  return carryOut(
    world,
    { account, scope: SCOPE, key, body: input },
    {
      kind: 'issue',
      pointer: '/amount',
      check: async () => undefined,
      send: ({ connector, call }, id) =>
        connector.operations.issue({ ...call, operation: { id, kind: 'issue', theme, amount, currency, reference } }),
      keep: async (kept) => (db) => keepIssuance(db, world, account, input, kept),
    },
  )
}

/** Of two requests with one key at once the first writes it; both answer what it wrote. */
async function keepIssuance(
  db: Kysely<Tables>,
  world: World,
  account: string,
  { theme, amount, currency, external_identifier = null }: GiftCardIssuanceCreate,
  { id, outcome, service }: Kept,
): Promise<GiftCardIssuance> {
  const now = timeOf(world.clock)
  const insert = (within: Kysely<Tables>) =>
    within
      .insertInto('gift_card_issuances')
      .values({
        merchant_account_id: account,
        id,
        gift_card_service_id: service.id,
        gift_card_service_payment_issuance_id: outcome.reference,
        url: outcome.url ?? '',
        theme,
        amount,
        currency,
        external_identifier,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
  await recorded({ ...world, db }, insert, (issued) => ({
    account,
    action: 'created',
    resource: { type: 'gift-card', id: issued.id, name: issued.external_identifier },
  }))
  const row = await db
    .selectFrom('gift_card_issuances')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw serviceLost()
  return showIssuance(row, service)
}

function showIssuance(row: Selectable<GiftCardIssuanceTable>, service: GiftCardServiceRow): GiftCardIssuance {
  const { gift_card_service_id: _, theme: __, ...shown } = row
  return { type: 'gift-card-issuance', ...shown, gift_card_service: showService(service) }
}
