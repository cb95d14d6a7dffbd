import type { Kysely, Selectable } from 'kysely'
import { invalid } from '../../api/errors.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { timeOf } from '../../base/clock.ts'
import { changeWithAudit } from '../../database/logs/audit-log.ts'
import type { GiftCardIssuanceTable } from '../../database/tables/vault.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { GiftCardIssuance, GiftCardIssuanceCreate } from '../gift-card.schema.ts'
import type { GiftCardServiceRow } from '../services/gift-card-service.store.ts'
import { serviceUnreachable, showGiftCardServiceSummary } from '../services/service-call.ts'
import { type ApprovedOperation, executeGiftCardOperation } from './execute-operation.ts'

const SCOPE = 'POST /gift-cards/issuances'

/**
 * Makes the gift card service issue a virtual card. Its number is never sent to us: the buyer finds it at
 * `url`.
 */
export async function issueGiftCard(
  world: World,
  account: string,
  input: GiftCardIssuanceCreate,
  key: string | undefined,
): Promise<GiftCardIssuance> {
  const { theme, amount, currency, external_identifier: reference = null } = input
  if (!isCurrency(currency)) throw invalid({ '/currency': 'is not an ISO 4217 code' })
  return executeGiftCardOperation(
    world,
    { account, scope: SCOPE, key, body: input },
    {
      kind: 'issue',
      pointer: '/amount',
      check: async () => undefined,
      send: ({ connector, call }, id) =>
        connector.operations.issue({
          ...call,
          operation: { id, kind: 'issue', theme, amount, currency, reference },
        }),
      prepareStore: async (approved) => (db) => storeIssuance(db, world, account, input, approved),
    },
  )
}

/** Of two requests at once with one key the first writes the issuance; both answer it. */
async function storeIssuance(
  db: Kysely<Tables>,
  world: World,
  account: string,
  { theme, amount, currency, external_identifier = null }: GiftCardIssuanceCreate,
  { id, outcome, service }: ApprovedOperation,
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
  await changeWithAudit({ ...world, db }, insert, (issued) => ({
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
  if (!row) throw serviceUnreachable()
  return showIssuance(row, service)
}

function showIssuance(row: Selectable<GiftCardIssuanceTable>, service: GiftCardServiceRow): GiftCardIssuance {
  const { gift_card_service_id: _, theme: __, ...shown } = row
  return { type: 'gift-card-issuance', ...shown, gift_card_service: showGiftCardServiceSummary(service) }
}
