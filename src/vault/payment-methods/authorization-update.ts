import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { World } from '../../world.ts'
import { showPaymentMethod } from './payment-method.representation.ts'
import type { PaymentMethodStatus } from './payment-method.schema.ts'
import { buyerOfMethod } from './payment-method.store.ts'

/** What can be told of a merchant's authorization to use a stored method, such as a mandate (SEMANTICS §5.2, §15.4): each is an event `payment-method.…`. */
export type AuthorizationUpdate = keyof typeof authorizationUpdates

const usable = ['processing', 'succeeded'] as const

/** From which statuses it can come, and to which it leads; null: the status stays. */
const authorizationUpdates = {
  paused: { from: usable, to: 'paused' },
  resumed: { from: ['paused'], to: 'succeeded' },
  'authorization-updated': { from: [...usable, 'paused'], to: null },
  'authorization-update-required': { from: [...usable, 'paused'], to: null },
  'authorization-expiring': { from: usable, to: null },
} as const satisfies Record<string, { from: readonly PaymentMethodStatus[]; to: PaymentMethodStatus | null }>

export const canApplyAuthorizationUpdate = (status: string, told: AuthorizationUpdate): boolean =>
  authorizationUpdates[told].from.some((possible) => possible === status)

/** Takes it up and tells the merchant's systems, in one commit. False: the method is gone, or its status is one that this cannot come from. */
export const handleAuthorizationUpdate = (world: World, account: string, id: string, told: AuthorizationUpdate): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const { from, to } = authorizationUpdates[told]
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
    await recordEvent(db, world, { account, name: `payment-method.${told}`, target: showPaymentMethod(row, await buyerOfMethod({ db }, row)) })
    return true
  })
