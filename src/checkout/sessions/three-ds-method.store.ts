import type { World } from '../../world.ts'
import type { CheckoutSessionRow, SessionForPayment } from './checkout-session.store.ts'

/**
 * The page of the card's issuer that sees the buyer's browser before an authentication (EMV 3DS, 3DS method), for
 * the card of a checkout session. `id` is the 3DS server's transaction id.
 */
export interface ThreeDSMethod {
  id: string
  url: string
  /** The issuer's page has told its end. */
  completed: boolean
}

/**
 * Stores a method that the buyer's browser is about to run, in place of one before. False: the session is gone, or
 * its fields were changed since it was read.
 */
export async function storeThreeDSMethod(
  world: World,
  { merchant_account_id: account, id, updated_at }: CheckoutSessionRow,
  method: ThreeDSMethod,
): Promise<boolean> {
  const row = await world.db
    .updateTable('checkout_sessions')
    .set({ three_ds_method: JSON.stringify(method) })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('updated_at', '=', updated_at)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The issuer's page has told its end. An id of no session changes nothing. */
export const completeThreeDSMethod = async (
  { run }: World,
  account: string,
  transactionId: string,
): Promise<void> =>
  void (await run(
    `update checkout_sessions
        set three_ds_method = jsonb_set(three_ds_method, '{completed}', 'true')
      where merchant_account_id = $1
        and three_ds_method is not null
        and three_ds_method ->> 'id' = $2`,
    [account, transactionId],
  ))

/**
 * Takes the method out of the session for the authentication of a payment: the 3DS server answers a repeated
 * transaction with the authentication of the first, which may have been about another amount. Of two payments at
 * once one gets it. Null: there is none.
 */
export async function takeThreeDSMethod(
  { run }: World,
  account: string,
  session: Pick<SessionForPayment, 'id' | 'hasThreeDSMethod'> | undefined,
): Promise<{ transaction_id: string; completed: boolean } | null> {
  if (!session?.hasThreeDSMethod) return null
  const [taken] = await run<{ method: ThreeDSMethod | null }>(
    `update checkout_sessions s
        set three_ds_method = null
       from (select three_ds_method as method
               from checkout_sessions
              where merchant_account_id = $1
                and id = $2
                for update) before
      where merchant_account_id = $1
        and id = $2
  returning before.method`,
    [account, session.id],
  )
  return taken?.method ? { transaction_id: taken.method.id, completed: taken.method.completed } : null
}
