import type { Kysely } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { noRowSecret } from '../secrets/row-secret.ts'

/**
 * Deletes what belongs to a payment method, in the database transaction that deletes the payment method. The
 * number of a network token is deleted at once; the token's row stays until the token service has deleted the
 * token.
 */
export async function deleteDependents(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  account: string,
  method: string,
): Promise<void> {
  const now = timeOf(clock)
  await db
    .updateTable('network_tokens')
    .set({ status: 'inactive', ...noRowSecret, check_at: now, updated_at: now })
    .where('merchant_account_id', '=', account)
    .where('payment_method_id', '=', method)
    .execute()
  await db
    .deleteFrom('payment_service_tokens')
    .where('merchant_account_id', '=', account)
    .where('payment_method_id', '=', method)
    .execute()
  await db
    .deleteFrom('account_updater_inquiries')
    .where('merchant_account_id', '=', account)
    .where('payment_method_id', '=', method)
    .execute()
  await db
    .deleteFrom('card_replacements')
    .where('merchant_account_id', '=', account)
    .where('id', '=', method)
    .execute()
}
