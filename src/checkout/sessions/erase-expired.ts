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

/**
 * Erases expired card data: checkout sessions, unused security codes and sealed instruments. It works in
 * batches, which hold no lock for long; the next run, a minute later, tries again what fails.
 */
export async function eraseExpiredCardData(world: Pick<World, 'run' | 'clock' | 'log'>): Promise<void> {
  const now = timeOf(world.clock)
  for (const table of ['checkout_sessions', 'security_codes', 'held_instruments'] as const)
    await eraseFrom(world, table, now).catch((error) =>
      world.log.error({ err: error }, `expired rows of ${table} could not be erased`),
    )
}

async function eraseFrom({ run }: Pick<World, 'run'>, table: Table, now: string): Promise<void> {
  for (;;) if ((await run(deleteExpiredBatch(table), [now, ...currentTimeValues()])).length < BATCH) return
}
