import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import { type BatchedChange, changeInBatches } from '../../database/rows/change-in-batches.ts'
import type { World } from '../../world.ts'

const isExpired = `expires_at <= $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 2)}`

const expired: BatchedChange[] = [
  { table: 'checkout_sessions', where: isExpired },
  { table: 'security_codes', where: isExpired },
  { table: 'held_instruments', where: isExpired },
  // the row stays: it says what the token allowed, and answers later requests that it has expired
  {
    table: 'delegated_payments',
    set: "key_id = null, data_key = null, sealed = null, risk_signals = '[]', metadata = '{}'",
    where: `sealed is not null and ${isExpired}`,
  },
  // a day after their expiry, since until then the platform reads that; one that is completed belongs to its payment
  {
    table: 'agentic_checkouts',
    where: `status in ('open', 'canceled') and expires_at <= $1::timestamptz - interval '1 day' and ${isInCurrentTimeSql('merchant_account_id', 2)}`,
  },
]

/**
 * Erases expired card data: checkout sessions, unused security codes, sealed instruments and delegated cards; and
 * deletes expired checkouts of AI agents' platforms. The next run, a minute later, tries again what fails.
 */
export async function eraseExpiredCardData(world: Pick<World, 'run' | 'clock' | 'log'>): Promise<void> {
  const now = timeOf(world.clock)
  for (const change of expired)
    await changeInBatches(world, change, [now, ...currentTimeValues()]).catch((error) =>
      world.log.error({ err: error }, `expired rows of ${change.table} could not be erased`),
    )
}
