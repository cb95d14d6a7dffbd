import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'

const BATCH = 10_000

type Table = 'checkout_sessions' | 'security_codes' | 'held_instruments'

/** The keys of a batch; the statement that erases them repeats the condition, and names the account for Citus. */
const selectExpired = (table: string, condition = 'expires_at <= $1::timestamptz') => `
  select merchant_account_id, id
    from ${table}
   where ${condition}
     and ${isInCurrentTimeSql('merchant_account_id', 2)}
   limit ${BATCH}`

const deleteExpiredBatch = (table: Table) => `
with expired as materialized (${selectExpired(table)}
)
delete from ${table} t
 using expired
 where t.merchant_account_id = expired.merchant_account_id
   and t.id = expired.id
   and t.expires_at <= $1::timestamptz
returning 1 as one`

/** The row stays: it says what the token allowed, and who asks for it learns that it has expired. */
const eraseExpiredDelegations = `
with expired as materialized (${selectExpired('delegated_payments', 'sealed is not null and expires_at <= $1::timestamptz')}
)
update delegated_payments d
   set key_id = null,
       data_key = null,
       sealed = null,
       risk_signals = '[]',
       metadata = '{}'
  from expired
 where d.merchant_account_id = expired.merchant_account_id
   and d.id = expired.id
   and d.sealed is not null
   and d.expires_at <= $1::timestamptz
returning 1 as one`

const isOverForADay = (of = '') =>
  `${of}status in ('open', 'canceled') and ${of}expires_at <= $1::timestamptz - interval '1 day'`

/**
 * Checkouts of AI agents' platforms, a day after they have expired: until then the platform reads that. One that
 * is completed belongs to its payment.
 */
const deleteExpiredCheckouts = `
with expired as materialized (${selectExpired('agentic_checkouts', isOverForADay())}
)
delete from agentic_checkouts c
 using expired
 where c.merchant_account_id = expired.merchant_account_id
   and c.id = expired.id
   and ${isOverForADay('c.')}
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
