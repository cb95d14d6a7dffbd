import { deleteEndedSessions } from '../accounts/sign-in/session.store.ts'
import { deleteIdleRates } from '../api/auth/rate-limit.ts'
import { currentTimeValues, isInCurrentTime, isInCurrentTimeSql } from '../base/account-clock.ts'
import type { World } from '../world.ts'

const BATCH = 10_000

const forget = `
delete from idempotency_keys where ctid = any(array(select ctid from idempotency_keys where created_at < $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 2)} limit ${BATCH})) returning 1 as one`

/**
 * Forgets idempotency keys that are older than `IDEMPOTENCY_RETENTION`, in batches that hold no lock for
 * long.
 */
export async function deleteOldIdempotencyKeys(world: World): Promise<void> {
  const before = new Date(world.clock.now() - world.settings.idempotencyRetention * 86_400_000).toISOString()
  for (;;) if ((await world.run(forget, [before, ...currentTimeValues()])).length < BATCH) return
}

/** A token that is refused for its age needs no memory of its use. A day more, as clocks differ. */
async function deleteOldWalletTokens({ db, clock }: World): Promise<void> {
  const before = new Date(clock.now() - 86_400_000).toISOString()
  await db
    .deleteFrom('used_wallet_tokens')
    .where('usable_until', '<', before)
    .where(isInCurrentTime('merchant_account_id'))
    .execute()
}

/**
 * What is kept of accounts for a while only, in their time. Each part goes on where another fails: the next
 * day tries again.
 */
export async function deleteOldAccountData(world: World): Promise<void> {
  await deleteOldIdempotencyKeys(world).catch((error) =>
    world.log.error({ err: error }, 'old idempotency keys could not be forgotten'),
  )
  await deleteOldWalletTokens(world).catch((error) =>
    world.log.error({ err: error }, 'used wallet tokens could not be forgotten'),
  )
}

/** What is kept of the instance: to be called in the machine's time. */
export async function deleteOldInstanceData(world: World): Promise<void> {
  await deleteIdleRates(world.run, world.machineClock).catch((error) =>
    world.log.error({ err: error }, 'old request rates could not be forgotten'),
  )
  await deleteEndedSessions(world).catch((error) =>
    world.log.error({ err: error }, 'old sessions could not be forgotten'),
  )
}
