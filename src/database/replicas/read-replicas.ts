import { setTimeout as wait } from 'node:timers/promises'
import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import type { Statements } from '../statements.ts'
import type { Reader } from './reader.ts'
import { openReplica, REPLICA_STATEMENT_TIMEOUT_MS, type Replica, type ReplicaState } from './replica.ts'
import { readPosition, sharedReads, type WalPosition } from './wal-position.ts'

/**
 * Which server a read used: a `replica`; or the primary, since every replica was `unusable`, or the chosen one
 * was `behind` or `failed`.
 */
type ReplicaReadResult = 'replica' | 'unusable' | 'behind' | 'failed'

/** The read replicas of a process. */
export interface ReadReplicas {
  /**
   * Runs `work` on a replica that has everything that was committed and answered before this call. If none
   * has in time, or one fails meanwhile, runs `work` without a reader: it then reads from the primary. So
   * `work` may run twice, and must only read.
   */
  read<T>(work: (reader: Reader | undefined) => Promise<T>, options?: ReadOptions): Promise<T>
  states(): ReplicaState[]
  close(): Promise<void>
}

export interface ReadOptions {
  /** Milliseconds that a statement may go without an answer. */
  answerWithin?: number
}

/** Nothing is configured: the primary answers every read. */
export const noReplicas: ReadReplicas = {
  read: (work) => work(undefined),
  states: () => [],
  close: async () => undefined,
}

interface ReplicaOptions {
  urls: readonly string[]
  /** The most connections to each. */
  maxConnections: number
  /** The primary. */
  primary: { run: Statements }
  counted(result: ReplicaReadResult): void
  /** A replica is used from now on, or has a `problem`. */
  changed(replica: Pick<ReplicaState, 'name' | 'problem'>): void
}

/** How often it is found out whether replicas answer, and how far they are. */
const LOOK_MS = 500
/** How long a read waits for the position of the primary. */
const POSITION_WITHIN_MS = 250

/** Waits for no replica: a dead one must not hold up a start. */
export function openReadReplicas({
  urls,
  maxConnections,
  primary,
  counted,
  changed,
}: ReplicaOptions): ReadReplicas {
  const replicas = urls.map((url) => openReplica(url, maxConnections))
  const position = sharedReads(() => readPosition(primary))
  const looks = replicas.map((replica) => watch(replica, position, changed))
  let reads = 0
  const choose = (): Replica | undefined => {
    const usable = replicas.filter((replica) => replica.isUsable())
    reads += 1
    return usable[reads % usable.length]
  }
  return {
    async read(work, { answerWithin = REPLICA_STATEMENT_TIMEOUT_MS } = {}) {
      const replica = choose()
      const at = replica && (await inTime(position()))
      if (!replica || !at) {
        counted('unusable')
        return work(undefined)
      }
      const result = await replica.read(at, work, answerWithin)
      counted(result.kind === 'read' ? 'replica' : result.kind)
      return result.kind === 'read' ? result.value : work(undefined)
    },
    states: () => replicas.map((replica) => replica.state()),
    async close() {
      for (const { stop } of looks) await stop()
      for (const replica of replicas) await replica.close()
    },
  }
}

const inTime = (position: Promise<WalPosition>): Promise<WalPosition | undefined> =>
  Promise.race([position.catch(() => undefined), wait(POSITION_WITHIN_MS, undefined, { ref: false })])

/** Looks at a replica again and again, and reports changes. */
function watch(
  replica: Replica,
  position: () => Promise<WalPosition>,
  changed: ReplicaOptions['changed'],
): PeriodicTask {
  let wasUsed: boolean | undefined
  return startPeriodicTask(
    LOOK_MS,
    async () => {
      const asked = performance.now()
      await replica.look(await position(), asked)
      const { name, problem } = replica.state()
      const isUsed = problem === undefined
      if (isUsed !== wasUsed) changed({ name, problem })
      wasUsed = isUsed
      return 1
    },
    // the primary has not told its position: requests are refused then
    () => undefined,
    { firstAfterMs: 0 },
  )
}
