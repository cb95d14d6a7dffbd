import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { World } from '../../world.ts'
import { showPaymentMethod } from './payment-method.representation.ts'
import type { PaymentMethodStatus } from './payment-method.schema.ts'
import { buyerOfMethod } from './payment-method.store.ts'

/**
 * A change of a merchant's authorization to use a stored method, such as a mandate (semantics §5.2, §15.4).
 * Each is an event `payment-method.…`.
 */
export type AuthorizationUpdate = keyof typeof authorizationUpdates

const usable = ['processing', 'succeeded'] as const

/** The statuses in which each change is possible, and the status after it; null: the status stays. */
const authorizationUpdates = {
  paused: { from: usable, to: 'paused' },
  resumed: { from: ['paused'], to: 'succeeded' },
  'authorization-updated': { from: [...usable, 'paused'], to: null },
  'authorization-update-required': { from: [...usable, 'paused'], to: null },
  'authorization-expiring': { from: usable, to: null },
} as const satisfies Record<string, { from: readonly PaymentMethodStatus[]; to: PaymentMethodStatus | null }>

export const canApplyAuthorizationUpdate = (status: string, update: AuthorizationUpdate): boolean =>
  authorizationUpdates[update].from.some((possible) => possible === status)

/**
 * Applies the change and writes its event in one commit. False: the method does not exist, or the change is
 * not possible in its status.
 */
export const handleAuthorizationUpdate = (
  world: World,
  account: string,
  id: string,
  update: AuthorizationUpdate,
): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const { from, to } = authorizationUpdates[update]
    const row = await db
      .updateTable('payment_methods')
      .set({ ...(to && { status: to }), updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('provisional', '=', false)
      .where('status', 'in', from)
      .returningAll()
      .executeTakeFirst()
    if (!row) return false
    await recordEvent(db, world, {
      account,
      name: `payment-method.${update}`,
      target: showPaymentMethod(row, await buyerOfMethod({ db }, row)),
    })
    return true
  })
