import type { Selectable } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { answerDeadline } from '../../connectors/answer-deadline.ts'
import type { SchemeToken } from '../../connectors/token-service.ts'
import { auditEntry, auditEntrySql, changeWithAudit } from '../../database/logs/audit-log.ts'
import type { NetworkTokenTable } from '../../database/tables/vault.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { methodChange } from '../payment-methods/payment-method.store.ts'
import { openRowSecret, sealRowSecret } from '../secrets/row-secret.ts'
import type { NetworkToken } from './network-token.schema.ts'

export type NetworkTokenRow = Selectable<NetworkTokenTable>
type Status = NetworkTokenRow['status']

const tokens = ({ db }: Pick<World, 'db'>, account: string) => db.selectFrom('network_tokens').selectAll().where('merchant_account_id', '=', account)

const tokenUpdate = (world: World, { merchant_account_id: account, id }: Pick<NetworkTokenRow, 'merchant_account_id' | 'id'>) =>
  world.db.updateTable('network_tokens').where('merchant_account_id', '=', account).where('id', '=', id)

export const findNetworkToken = (world: World, account: string, id: string): Promise<NetworkTokenRow | undefined> =>
  tokens(world, account).where('id', '=', id).executeTakeFirst()

/** Those of a stored card that the token service has given, the oldest first. */
export const networkTokensOf = (world: World, account: string, method: string): Promise<NetworkTokenRow[]> =>
  tokens(world, account).where('payment_method_id', '=', method).where('key_id', 'is not', null).orderBy('created_at').orderBy('id').execute()

/** The one that stands for a stored card, or is asked for; undefined: none. */
export const currentToken = (world: World, account: string, method: string): Promise<NetworkTokenRow | undefined> =>
  tokens(world, account).where('payment_method_id', '=', method).where('status', '<>', 'inactive').executeTakeFirst()

const insertRequestedToken = `
with method as (
  select merchant_account_id, id from payment_methods where merchant_account_id = $1 and id = $2 and not provisional for key share
), intended as (
  insert into network_tokens (merchant_account_id, id, payment_method_id, status, scheme, check_at, created_at, updated_at)
  select merchant_account_id, $3::uuid, id, 'requested', $4, $5::timestamptz, $6::timestamptz, $6::timestamptz from method
      on conflict (merchant_account_id, payment_method_id) where status <> 'inactive' do nothing
  returning merchant_account_id
)
${auditEntrySql('intended', '$7')}`

/**
 * Writes down that a token is asked for, before it is: an answer that is lost is then asked for again under the same id. Nothing is written where there
 * is one, or the payment method is being deleted, which the lock on its row tells.
 */
export async function intendToken(world: World, account: string, method: string, scheme: string): Promise<void> {
  const entry = auditEntry(world, methodChange('updated', { merchant_account_id: account, id: method }))
  await world.run(insertRequestedToken, [account, method, world.ids.next(), scheme, answerDeadline(world), timeOf(world.clock), entry])
}

/** Writes what the token service says; undefined where the token has left the statuses in `from`. A deleted one is forgotten. */
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

/** As `scheduleTokenCheck`, for a person or a key that is about to change it. */
export const intendTokenChange = (world: World, row: NetworkTokenRow, statuses: readonly Status[]): Promise<NetworkTokenRow | undefined> =>
  changeWithAudit(
    world,
    (db) => scheduleTokenCheck({ ...world, db }, row, answerDeadline(world), statuses),
    ({ merchant_account_id, payment_method_id: id }) => methodChange('updated', { merchant_account_id, id }),
  )

/** The token service is asked at `checkAt` what became of it, should nobody say so sooner. Undefined: it is in none of these statuses. */
export const scheduleTokenCheck = (
  world: World,
  row: NetworkTokenRow,
  checkAt: string,
  statuses: readonly Status[],
): Promise<NetworkTokenRow | undefined> =>
  tokenUpdate(world, row).where('status', 'in', statuses).set({ check_at: checkAt }).returningAll().executeTakeFirst()

/** From now on nobody pays with it, and the token service deletes it. False: there is none. */
export async function retireToken(world: World, account: string, method: string, id: string): Promise<boolean> {
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
  const row = await changeWithAudit(world, retire, () => methodChange('updated', { merchant_account_id: account, id: method }))
  return row !== undefined
}

/** The token service has deleted it, or never made it. */
export async function deleteTokenRow(world: World, { merchant_account_id: account, id }: NetworkTokenRow, from: readonly Status[]): Promise<void> {
  await world.db.deleteFrom('network_tokens').where('merchant_account_id', '=', account).where('id', '=', id).where('status', 'in', from).execute()
}

/** The token's own number; null before it is known. */
export const openToken = (world: World, row: NetworkTokenRow): Promise<string | null> => openRowSecret(world, 'network_tokens', row)

/** As the API shows it. Its number is no card's: it is worth nothing without a cryptogram of this merchant's. */
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
