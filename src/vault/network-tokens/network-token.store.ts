import type { Selectable } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import type { SchemeToken } from '../../connectors/contract/token-service.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { auditEntry, auditEntrySql, changeWithAudit } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { NetworkTokenTable } from '../../database/tables/vault.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { methodChange } from '../payment-methods/payment-method.store.ts'
import { openRowSecret, sealRowSecret } from '../secrets/row-secret.ts'
import type { NetworkToken } from './network-token.schema.ts'

export type NetworkTokenRow = Selectable<NetworkTokenTable>
type Status = NetworkTokenRow['status']

const tokens = ({ db }: Pick<World, 'db'>, account: string) =>
  db.selectFrom('network_tokens').selectAll().where('merchant_account_id', '=', account)

const tokenUpdate = (
  world: World,
  { merchant_account_id: account, id }: Pick<NetworkTokenRow, 'merchant_account_id' | 'id'>,
) => world.db.updateTable('network_tokens').where('merchant_account_id', '=', account).where('id', '=', id)

export const findNetworkToken = (
  world: World,
  account: string,
  id: string,
): Promise<NetworkTokenRow | undefined> => tokens(world, account).where('id', '=', id).executeTakeFirst()

/**
 * The network tokens of a stored card, the oldest first, without those that the token service has not
 * answered yet.
 */
export const networkTokensOf = (world: World, account: string, method: string): Promise<NetworkTokenRow[]> =>
  tokens(world, account)
    .where('payment_method_id', '=', method)
    .where('key_id', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** The network token that a stored card has or that is requested for it; undefined: none. */
export const currentToken = (
  world: World,
  account: string,
  method: string,
): Promise<NetworkTokenRow | undefined> =>
  tokens(world, account)
    .where('payment_method_id', '=', method)
    .where('status', '<>', 'inactive')
    .executeTakeFirst()

const insertRequestedToken = namedStatement(
  ['account', 'method', 'id', 'scheme', 'checkAt', 'now', 'audit'],
  (p) => `
with method as (
  select merchant_account_id, id
    from payment_methods
   where merchant_account_id = ${p.account}
     and id = ${p.method}
     and not provisional
     for key share
), intended as (
  insert into network_tokens (merchant_account_id, id, payment_method_id, status, scheme, check_at, created_at, updated_at)
  select merchant_account_id, ${p.id}::uuid, id, 'requested', ${p.scheme}, ${p.checkAt}::timestamptz, ${p.now}::timestamptz, ${p.now}::timestamptz
    from method
      on conflict (merchant_account_id, payment_method_id) where status <> 'inactive' do nothing
  returning merchant_account_id
), audited as (${auditEntrySql('intended', p.audit)}
)
select 1 as one from intended`,
)

/**
 * Writes the token to the database before the token service is asked for it, so that a lost answer is asked
 * for again under the same id. Nothing is written if the card has a token, or if the payment method is being
 * deleted, which the lock on its row shows.
 */
export async function intendToken(
  world: World,
  account: string,
  method: string,
  scheme: string,
): Promise<void> {
  await insertRequestedToken.run(world, {
    account,
    method,
    id: world.ids.next(),
    scheme,
    checkAt: answerDeadline(world),
    now: timeOf(world.clock),
    audit: auditEntry(world, methodChange('updated', { merchant_account_id: account, id: method })),
  })
}

/**
 * Records the token service's answer. Undefined: the token is in none of the statuses `from` any more, or it
 * was deleted, and its row with it.
 */
export async function applyTokenState(
  world: World,
  row: NetworkTokenRow,
  token: SchemeToken,
  from: readonly Status[],
): Promise<NetworkTokenRow | undefined> {
  if (token.status === 'deleted') return void (await deleteTokenRow(world, row, from))
  return tokenUpdate(world, row)
    .where('status', 'in', from)
    .set({
      status: token.status,
      expiration_date: token.expirationDate,
      ...(await sealRowSecret(world, 'network_tokens', row, token.number)),
      check_at: null,
      checks: 0,
      updated_at: timeOf(world.clock),
    })
    .returningAll()
    .executeTakeFirst()
}

/** `scheduleTokenCheck` with an entry in the audit log, for a request that is about to change the token. */
export const intendTokenChange = (
  world: World,
  row: NetworkTokenRow,
  statuses: readonly Status[],
): Promise<NetworkTokenRow | undefined> =>
  changeWithAudit(
    world,
    (db) => scheduleTokenCheck({ ...world, db }, row, { check_at: answerDeadline(world) }, statuses),
    ({ merchant_account_id, payment_method_id: id }) => methodChange('updated', { merchant_account_id, id }),
  )

/**
 * The token service is asked for the token's state at `check_at`, unless its answer comes sooner. Undefined:
 * the token is in none of these statuses.
 */
export const scheduleTokenCheck = (
  world: World,
  row: NetworkTokenRow,
  check: { check_at: string; checks?: number },
  statuses: readonly Status[],
): Promise<NetworkTokenRow | undefined> =>
  tokenUpdate(world, row).where('status', 'in', statuses).set(check).returningAll().executeTakeFirst()

/**
 * Makes a token unusable for payments and lets the token service delete it. False: the card has no such
 * token.
 */
export async function retireToken(
  world: World,
  account: string,
  method: string,
  id: string,
): Promise<boolean> {
  const retire = (db: World['db']) =>
    db
      .updateTable('network_tokens')
      .set({ status: 'inactive', check_at: answerDeadline(world), updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('payment_method_id', '=', method)
      .where('id', '=', id)
      .where('key_id', 'is not', null)
      .returning('id')
      .executeTakeFirst()
  const row = await changeWithAudit(world, retire, () =>
    methodChange('updated', { merchant_account_id: account, id: method }),
  )
  return row !== undefined
}

/** Deletes the row of a token that the token service has deleted, or never made. */
export async function deleteTokenRow(
  world: World,
  { merchant_account_id: account, id }: NetworkTokenRow,
  from: readonly Status[],
): Promise<void> {
  await world.db
    .deleteFrom('network_tokens')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('status', 'in', from)
    .execute()
}

/** The token's number; null until the token service has answered with it. */
export const openToken = (world: World, row: NetworkTokenRow): Promise<string | null> =>
  openRowSecret(world, 'network_tokens', row)

/**
 * As the API shows it. The number is in the clear: it is no card's, and is worth nothing without a cryptogram
 * of this merchant.
 */
export async function showNetworkToken(world: World, row: NetworkTokenRow): Promise<NetworkToken> {
  return {
    type: 'network-token',
    id: row.id,
    payment_method_id: row.payment_method_id,
    status: row.status === 'requested' ? 'inactive' : row.status,
    token: (await openToken(world, row)) ?? '',
    expiration_date: row.expiration_date ?? '',
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}
