import { markLog } from '../database/event-log.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'

const EVERY_MS = 60_000

/** Has a mark of how far the event log is every ten minutes, whichever process makes it. */
export const startMarking = (world: World): Rounds =>
  makeRounds(
    EVERY_MS,
    () => markLog(world),
    (error) => world.log.error({ err: error }, 'the event log could not be marked'),
  )
