import { setTimeout as wait } from 'node:timers/promises'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import {
  type LogPosition,
  lastLogPosition,
  logPositionOf,
  positionBeforeLoss,
  readLog,
} from '../event-log.ts'
import { type FeedCursor, writeCursor } from './feed-cursor.ts'

/** How often the log is looked at, for each account with a stream. */
const LOOK_EVERY_MS = 1_000
/** Proxies close connections that are silent for half a minute or so. */
const HEARTBEAT_MS = 15_000
/** After how long browsers connect again. */
const RECONNECT_MS = 2_000
const MAX_EVENTS = 500

/** Which streams may begin: so many of a process, and so many of one caller. */
export interface StreamLimits {
  ofProcess: number
  ofCaller: number
}

/** The streams of this process. */
export interface OpenStreams {
  /** Undefined: there are too many. Else the function that gives the place back. */
  open(caller: string): (() => void) | undefined
}

export function countStreams({ ofProcess, ofCaller }: StreamLimits): OpenStreams {
  const counts = new Map<string, number>()
  let all = 0
  return {
    open: (caller) => {
      const own = counts.get(caller) ?? 0
      if (all >= ofProcess || own >= ofCaller) return undefined
      all += 1
      counts.set(caller, own + 1)
      return () => {
        all -= 1
        const left = (counts.get(caller) ?? 1) - 1
        if (left > 0) counts.set(caller, left)
        else counts.delete(caller)
      }
    },
  }
}

/**
 * The last position of an account's log, read once a second for all streams of the account. Every process
 * reads the log, which they share, so an event of any process comes to every stream.
 */
export function watchLog(world: World): (account: string) => ReturnType<typeof lastLogPosition> {
  const looks = new Map<string, { at: number; position: ReturnType<typeof lastLogPosition> }>()
  return (account) => {
    const now = performance.now()
    const look = looks.get(account)
    if (look && now - look.at < LOOK_EVERY_MS / 2) return look.position
    const position = lastLogPosition(world, account)
    looks.set(account, { at: now, position })
    position.catch(() => looks.delete(account))
    return position
  }
}

/** What a stream needs besides the log. */
export interface StreamedAccount {
  account: string
  /** Undefined: begins with what happens next. */
  after: FeedCursor | undefined
  lastPosition: ReturnType<typeof watchLog>
  /** Whether the caller may know of this event. */
  isShown(event: EventRow): boolean
  /** Whether the caller's session and rights are as they were when the stream began. */
  isAllowed(): Promise<boolean>
  /** Aborted when the process stops. */
  signal: AbortSignal
}

/**
 * The text of a stream of server-sent events: for each event of the log its name, and as data its id, the
 * resource's type and id, and the time. `id` is a cursor of the event log. `reset`: events were lost or are too
 * many, and the reader loads again what it shows.
 */
export async function* streamEvents(
  world: World,
  { account, after, lastPosition, isShown, isAllowed, signal }: StreamedAccount,
): AsyncGenerator<string, void> {
  let cursor: FeedCursor = after ?? (await lastPosition(account))
  yield `retry: ${RECONNECT_MS}\n${idLine(world, account, cursor)}event: ready\ndata: {}\n\n`
  for (let writtenAt = performance.now(); ; ) {
    if (signal.aborted || world.stopping || !(await isAllowed())) return
    const { logPosition: last, readAt } = await lastPosition(account)
    if (!isSamePosition(last, cursor.logPosition)) {
      const read = await readLog(world, account, cursor.logPosition, MAX_EVENTS)
      if (read === 'lost') {
        cursor = { logPosition: await positionBeforeLoss(world, account, cursor.readAt), readAt }
        yield message(world, account, cursor, 'reset', {})
      } else {
        for (const event of read.events) {
          cursor = { logPosition: logPositionOf(event), readAt: read.readAt }
          if (!isShown(event)) continue
          writtenAt = performance.now()
          yield message(world, account, cursor, event.name, shownEvent(event))
        }
        if (read.events.length === MAX_EVENTS) continue
      }
    }
    if (performance.now() - writtenAt >= HEARTBEAT_MS) {
      writtenAt = performance.now()
      yield ': still here\n\n'
    }
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

const isSamePosition = (one: LogPosition, other: LogPosition): boolean =>
  one.position === other.position && one.sequence === other.sequence && one.id === other.id

const idLine = (world: World, account: string, cursor: FeedCursor) =>
  `id: ${writeCursor(world, account, cursor)}\n`

const message = (world: World, account: string, cursor: FeedCursor, name: string, data: object) =>
  `${idLine(world, account, cursor)}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** No member of the resource besides its ids. */
function shownEvent({ id, name, target, target_id, created_at }: EventRow) {
  const { transaction_id: transaction } = target as { transaction_id?: unknown }
  return {
    type: 'event-notice',
    id,
    name,
    target: {
      type: target.type,
      id: target_id,
      ...(typeof transaction === 'string' && { transaction_id: transaction }),
    },
    created_at: timestamp(created_at),
  }
}
