import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { LogPlace } from './event-log.ts'

/** A subscription that becomes active again is told what happens from this place on; what happened in between is not sent. */
export async function restartQueue(db: Kysely<Tables>, id: string, { position, sequence, id: event_id }: LogPlace): Promise<void> {
  await db
    .updateTable('webhook_queues')
    .set({ position, sequence, event_id, ...rested })
    .where('webhook_subscription_id', '=', id)
    .execute()
}

/** Somebody may answer now where nobody did: knocks again at once. */
export async function resumeQueue(db: Kysely<Tables>, id: string): Promise<void> {
  await db.updateTable('webhook_queues').set(rested).where('webhook_subscription_id', '=', id).execute()
}

const rested = { resume_at: '-infinity', failures: 0, failing_since: null }
