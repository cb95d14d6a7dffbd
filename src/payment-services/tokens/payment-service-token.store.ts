import type { Selectable } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { auditEntry, auditEntrySql, changeWithAudit } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { PaymentServiceTokenTable } from '../../database/tables/vault.ts'
import { timestamp } from '../../database/timestamp.ts'
import { methodChange } from '../../vault/payment-methods/payment-method.store.ts'
import { openRowSecret, sealRowSecret } from '../../vault/secrets/row-secret.ts'
import type { World } from '../../world.ts'
import type { PaymentServiceToken } from './payment-service-token.schema.ts'

export type PaymentServiceTokenRow = Selectable<PaymentServiceTokenTable>

const intend = namedStatement(
  ['account', 'method', 'id', 'service', 'checkAt', 'now', 'audit'],
  (p) => `
with method as (
  select merchant_account_id, id, fingerprint
    from payment_methods
   where merchant_account_id = ${p.account}
     and id = ${p.method}
     and not provisional
     for key share
), intended as (
  insert into payment_service_tokens
         (merchant_account_id, id, payment_method_id, payment_service_id, status, fingerprint, check_at, created_at, updated_at)
  select merchant_account_id, ${p.id}::uuid, id, ${p.service}::uuid, 'processing', fingerprint,
         ${p.checkAt}::timestamptz, ${p.now}::timestamptz, ${p.now}::timestamptz
    from method
      on conflict (merchant_account_id, payment_method_id, payment_service_id) where status <> 'failed' do nothing
  returning merchant_account_id, id
), audited as (${auditEntrySql('intended', p.audit)}
)
select id from intended`,
)

/**
 * Writes the token to the database before the payment service is asked for it. Undefined: the card has a
 * token at this payment service already, by the unique index, or is being deleted.
 */
export async function intendServiceToken(
  world: World,
  { account, method, service }: { account: string; method: string; service: string },
): Promise<PaymentServiceTokenRow | undefined> {
  const [row] = await intend.run<{ id: string }>(world, {
    account,
    method,
    id: world.ids.next(),
    service,
    checkAt: answerDeadline(world),
    now: timeOf(world.clock),
    audit: auditEntry(world, methodChange('updated', { merchant_account_id: account, id: method })),
  })
  return row && findServiceToken(world, account, row.id)
}

const tokens = ({ db }: World, account: string) =>
  db.selectFrom('payment_service_tokens').selectAll().where('merchant_account_id', '=', account)

const findServiceToken = (world: World, account: string, id: string) =>
  tokens(world, account).where('id', '=', id).executeTakeFirst()

/** The tokens of a stored card, the oldest first. `service`: at this payment service only; null: at all. */
export const listServiceTokens = (
  world: World,
  account: string,
  method: string,
  service: string | null,
): Promise<PaymentServiceTokenRow[]> =>
  tokens(world, account)
    .where('payment_method_id', '=', method)
    .$if(service !== null, (query) => query.where('payment_service_id', '=', service ?? ''))
    .orderBy('id')
    .execute()

/**
 * Records the payment service's answer: its token, or null if it refuses the card. Undefined: the token was
 * deleted meanwhile, or its answer is recorded already.
 */
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

/** Lets the payment service be asked again then (`nextCheck`). */
export const postponeServiceToken = (
  world: World,
  row: PaymentServiceTokenRow,
  check: Pick<PaymentServiceTokenRow, 'check_at' | 'checks'>,
) =>
  world.db
    .updateTable('payment_service_tokens')
    .set(check)
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('id', '=', row.id)
    .where('status', '=', 'processing')
    .execute()

/** False: the card has no such token. */
export async function deleteServiceToken(
  world: World,
  account: string,
  method: string,
  id: string,
): Promise<boolean> {
  const remove = (db: World['db']) =>
    db
      .deleteFrom('payment_service_tokens')
      .where('merchant_account_id', '=', account)
      .where('payment_method_id', '=', method)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst()
  const row = await changeWithAudit(world, remove, () =>
    methodChange('updated', { merchant_account_id: account, id: method }),
  )
  return row !== undefined
}

/** The token in the clear; null until the payment service has answered with one. */
export const openServiceToken = (world: World, row: PaymentServiceTokenRow): Promise<string | null> =>
  openRowSecret(world, 'payment_service_tokens', row)

/**
 * As the API shows it. The token is in the clear: it is worth nothing without the payment service's
 * credentials.
 */
export const showServiceToken = async (
  world: World,
  row: PaymentServiceTokenRow,
): Promise<PaymentServiceToken> => ({
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
