import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'

const BATCH = 10_000

type Table = 'checkout_sessions' | 'security_codes' | 'held_instruments'

const deleteExpiredBatch = (table: Table) => `
delete from ${table}
 where ctid = any(array(
         select ctid
           from ${table}
          where expires_at <= $1::timestamptz
            and ${isInCurrentTimeSql('merchant_account_id', 2)}
          limit ${BATCH}))
returning 1 as one`

/** The row stays: it says what the token allowed, and who asks for it learns that it has expired. */
const eraseExpiredDelegations = `
update delegated_payments
   set key_id = null,
       data_key = null,
       sealed = null,
       risk_signals = '[]',
       metadata = '{}'
 where ctid = any(array(
         select ctid
           from delegated_payments
          where sealed is not null
            and expires_at <= $1::timestamptz
            and ${isInCurrentTimeSql('merchant_account_id', 2)}
          limit ${BATCH}))
returning 1 as one`

/**
 * Checkouts of AI agents' platforms, a day after they have expired: until then the platform reads that. One that
 * is completed belongs to its payment.
 */
const deleteExpiredCheckouts = `
delete from agentic_checkouts
 where ctid = any(array(
         select ctid
           from agentic_checkouts
          where status in ('open', 'canceled')
            and expires_at <= $1::timestamptz - interval '1 day'
            and ${isInCurrentTimeSql('merchant_account_id', 2)}
          limit ${BATCH}))
returning 1 as one`

/**
 * Erases expired card data: checkout sessions, unused security codes, sealed instruments and delegated cards; and deletes expired agentic checkouts. It works in
 * batches, which hold no lock for long; the next run, a minute later, tries again what fails.
 */
export async function eraseExpiredCardData(world: Pick<World, 'run' | 'clock' | 'log'>): Promise<void> {
  const now = timeOf(world.clock)
  const batches = {
    checkout_sessions: deleteExpiredBatch('checkout_sessions'),
    security_codes: deleteExpiredBatch('security_codes'),
    held_instruments: deleteExpiredBatch('held_instruments'),
    delegated_payments: eraseExpiredDelegations,
    agentic_checkouts: deleteExpiredCheckouts,
  }
  for (const [table, batch] of Object.entries(batches))
    await eraseIn(world, batch, now).catch((error) =>
      world.log.error({ err: error }, `expired rows of ${table} could not be erased`),
    )
}

async function eraseIn({ run }: Pick<World, 'run'>, batch: string, now: string): Promise<void> {
  for (;;) if ((await run(batch, [now, ...currentTimeValues()])).length < BATCH) return
}
