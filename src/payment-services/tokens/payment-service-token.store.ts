import type { Selectable } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { answerDeadline } from '../../connectors/answer-deadline.ts'
import { auditEntry, auditEntrySql, changeWithAudit } from '../../database/logs/audit-log.ts'
import type { PaymentServiceTokenTable } from '../../database/tables/vault.ts'
import { timestamp } from '../../database/timestamp.ts'
import { methodChange } from '../../vault/payment-methods/payment-method.store.ts'
import { openRowSecret, sealRowSecret } from '../../vault/secrets/row-secret.ts'
import type { World } from '../../world.ts'
import type { PaymentServiceToken } from './payment-service-token.schema.ts'

export type PaymentServiceTokenRow = Selectable<PaymentServiceTokenTable>

const intend = `
with method as (
  select merchant_account_id, id, fingerprint from payment_methods where merchant_account_id = $1 and id = $2 and not provisional for key share
), intended as (
  insert into payment_service_tokens (merchant_account_id, id, payment_method_id, payment_service_id, status, fingerprint, check_at, created_at, updated_at)
  select merchant_account_id, $3::uuid, id, $4::uuid, 'processing', fingerprint, $5::timestamptz, $6::timestamptz, $6::timestamptz from method
      on conflict (merchant_account_id, payment_method_id, payment_service_id) where status <> 'failed' do nothing
  returning merchant_account_id, id
), audited as (${auditEntrySql('intended', '$7')}
)
select id from intended`

/** Writes down that a token is asked for, before it is; undefined where the card has one at this payment service, or is being deleted. The unique index decides. */
export async function intendServiceToken(
  world: World,
  { account, method, service }: { account: string; method: string; service: string },
): Promise<PaymentServiceTokenRow | undefined> {
  const now = timeOf(world.clock)
  const entry = auditEntry(world, methodChange('updated', { merchant_account_id: account, id: method }))
  const [row] = await world.run<{ id: string }>(intend, [account, method, world.ids.next(), service, answerDeadline(world), now, entry])
  return row && findServiceToken(world, account, row.id)
}

const tokens = ({ db }: World, account: string) => db.selectFrom('payment_service_tokens').selectAll().where('merchant_account_id', '=', account)

const findServiceToken = (world: World, account: string, id: string) => tokens(world, account).where('id', '=', id).executeTakeFirst()

/** Those of a stored card, the oldest first. `service`: only at this payment service; null: at all. */
export const listServiceTokens = (world: World, account: string, method: string, service: string | null): Promise<PaymentServiceTokenRow[]> =>
  tokens(world, account)
    .where('payment_method_id', '=', method)
    .$if(service !== null, (query) => query.where('payment_service_id', '=', service ?? ''))
    .orderBy('id')
    .execute()

/** What the payment service answered: its token, or null where it keeps no such card. Undefined: it was deleted meanwhile, or answered already. */
export async function recordServiceToken(
  world: World,
  row: PaymentServiceTokenRow,
  token: string | null,
): Promise<PaymentServiceTokenRow | undefined> {
  return world.db
    .updateTable('payment_service_tokens')
    .set({
      status: token === null ? 'failed' : 'succeeded',
      ...(token !== null && (await sealRowSecret(world, 'payment_service_tokens', row, token))),
      check_at: null,
      updated_at: timeOf(world.clock),
    })
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('id', '=', row.id)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst()
}

/** The payment service is asked again at `checkAt`. */
export const postponeServiceToken = (world: World, row: PaymentServiceTokenRow, checkAt: string) =>
  world.db
    .updateTable('payment_service_tokens')
    .set({ check_at: checkAt })
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('id', '=', row.id)
    .where('status', '=', 'processing')
    .execute()

/** False: there is none. */
export async function deleteServiceToken(world: World, account: string, method: string, id: string): Promise<boolean> {
  const remove = (db: World['db']) =>
    db
      .deleteFrom('payment_service_tokens')
      .where('merchant_account_id', '=', account)
      .where('payment_method_id', '=', method)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, () => methodChange('updated', { merchant_account_id: account, id: method }))
  return row !== undefined
}

/** The token in the clear; null until it succeeded. */
export const openServiceToken = (world: World, row: PaymentServiceTokenRow): Promise<string | null> =>
  openRowSecret(world, 'payment_service_tokens', row)

/** As the API shows it: it is worth nothing without the payment service's credentials. */
export const showServiceToken = async (world: World, row: PaymentServiceTokenRow): Promise<PaymentServiceToken> => ({
  type: 'payment-service-token',
  id: row.id,
  approval_url: null,
  payment_method_id: row.payment_method_id,
  payment_service_id: row.payment_service_id,
  status: row.status,
  token: await openServiceToken(world, row),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
