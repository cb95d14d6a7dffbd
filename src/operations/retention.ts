import type { World } from '../world.ts'

const BATCH = 10_000

const forget = `
delete from idempotency_keys where ctid = any(array(select ctid from idempotency_keys where created_at < $1::timestamptz limit ${BATCH}))`

/** Forgets idempotency keys that are older than `IDEMPOTENCY_RETENTION`, in batches that hold no lock for long. */
export async function forgetOldKeys(world: World): Promise<void> {
  const before = new Date(world.clock.now() - world.settings.idempotencyRetention * 86_400_000).toISOString()
  try {
    await world.run(forget, [before])
  } catch (error) {
    world.log.error({ err: error }, 'old idempotency keys could not be forgotten')
  }
}
