import { setTimeout as wait } from 'node:timers/promises'
import type { World } from '../../world.ts'
import type { EventRow } from '../event.row.ts'
import { type LogPosition, logPositionOf } from '../event-log.ts'
import { endpointOfLeasedQueue } from '../subscriptions/webhook-subscription.store.ts'
import { DOWN_AFTER_FAILURES, deliveryPauseAfter, GIVE_UP_AFTER_MS, queuePauseAfter, withJitter } from './back-off.ts'
import { type AttemptResult, attemptDelivery, RECEIVER_TIMEOUT_MS, type Receiver, toReceiver } from './delivery-attempt.ts'
import { disableSubscription } from './disable-subscription.ts'
import type { OriginConcurrency } from './origin-concurrency.ts'
import { makeResourceQueues } from './resource-queues.ts'
import {
  type DeliveryOutcome,
  type LeasedQueue,
  QUEUE_LEASE_MS,
  readDue,
  readNewEvents,
  releaseQueue,
  writeDeliveryOutcomes,
} from './webhook-queue.store.ts'

/** Requests to one subscription at a time: a receiver that hangs holds no more. */
const CONCURRENCY = 16
/** Events that are read at once. */
const PAGE = 200
/** Below so many that have not begun, more are read. */
const READ_MORE_BELOW = 100
/** Events beyond the place that are in memory at most: one that hangs keeps the place, not the others. */
const MAX_EVENTS_IN_MEMORY = 2_000
/** Outcomes are written after so many, or after so many milliseconds. */
const BATCH = 200
const WRITE_INTERVAL_MS = 100
/** Milliseconds for which what comes now and then is gathered: every look costs statements and a commit, however little it finds. */
const GATHER_MS = 25
/** Milliseconds for which a queue goes on though others may wait for its place. */
const TURN_MS = 5_000
/** Nothing is sent when less of the lease is left: another process could send it, too. */
const LEASE_MARGIN_MS = RECEIVER_TIMEOUT_MS + 1_000

/** An event without what is in its body. */
type EventWithoutTarget = Omit<EventRow, 'target'>

interface UnsentDelivery {
  event: EventWithoutTarget
  /** Not in `webhook_deliveries` yet. */
  isNew: boolean
  tries: number
  giveUpAt: string
}

interface DeliveryJob extends UnsentDelivery {
  /** The event's JSON. */
  body: string
}

export interface DeliveryContext {
  /** Nothing more is to be begun. */
  isStopping(): boolean
  /** This process tends as many queues as it can: others may wait for a place among them. */
  isFull(): boolean
  originConcurrency: OriginConcurrency
  /** The JSON of events, by their ids. What has waited is read anew: an erasure may have changed it since it was sent last. */
  bodiesOf(news: readonly EventRow[], waited: readonly EventRow[]): Promise<ReadonlyMap<string, string>>
}

/**
 * Sends what a queue has until there is nothing more, it must rest, its turn is over, or it is not held any more. Reading and writing alternate in one loop
 * while requests are under way beside it. However that ends, others take the queue only when nothing is under way any more. What has been sent and could not
 * be written is sent again by whoever takes it next, under the same id.
 */
export async function deliverQueue(
  world: World,
  queue: LeasedQueue,
  { isStopping, isFull, originConcurrency, bodiesOf }: DeliveryContext,
): Promise<void> {
  const takenAt = world.machineClock.now()
  const lanes = makeResourceQueues<DeliveryJob>()
  /** Events beyond the place, in the order of the log; those that have an outcome are in `done`. */
  const window: LogPosition[] = []
  const done = new Set<string>()
  /** What is in the lanes, under way, or not written yet. */
  const inHand = new Set<string>()
  /** Resources of which one has failed and is not written yet. */
  const held = new Set<string>()
  let outcomes: { outcome: DeliveryOutcome; isNew: boolean }[] = []
  let receiver: Receiver | undefined
  let place: LogPosition = { position: queue.position, sequence: queue.sequence, id: queue.id }
  let readTo = place
  let leasedUntil = takenAt + QUEUE_LEASE_MS
  let { failures, failingSince } = queue
  let resumeAt: string | null = null
  let underWay = 0
  /** The last read did not see the end. */
  let isMore = false
  let dead = false
  let isOver = false
  let wake = () => {}

  try {
    for (;;) {
      await readReceiver()
      const found = mayBegin() && lanes.waiting < READ_MORE_BELOW ? await readMore() : 0
      begin()
      if (underWay === 0 && outcomes.length === 0 && (!mayBegin() || (found === 0 && lanes.waiting === 0))) break
      if ((underWay > 0 || lanes.waiting > 0) && outcomes.length < BATCH) await somethingToDo()
      if (!(await write())) return
      if (!isMore) await wait(GATHER_MS)
    }
    if (dead) await disableSubscription(world, queue, place)
  } finally {
    isOver = true
    while (underWay > 0) await somethingToDo()
    await releaseQueue(world, queue)
  }

  function mayBegin(): boolean {
    return receiver !== undefined && !isOver && !isStopping() && !isTurnOver() && resumeAt === null && !dead
  }

  function isTurnOver(): boolean {
    return isFull() && world.machineClock.now() - takenAt >= TURN_MS
  }

  /** Again in each round: what was changed holds from then on, and what was deleted, or is not held any more, is sent nothing more. */
  async function readReceiver(): Promise<void> {
    const endpoint = await endpointOfLeasedQueue(world, queue)
    receiver = endpoint && toReceiver(endpoint)
  }

  /** Answers how many events were found, whether or not they are to be sent. */
  async function readMore(): Promise<number> {
    const waited = await readDue(world, queue, [...inHand], PAGE)
    const news = window.length < MAX_EVENTS_IN_MEMORY ? await readNewEvents(world, queue, readTo, PAGE) : []
    const bodies = await bodiesOf(
      news.filter(({ known, blocked }) => !known && !blocked),
      waited,
    )
    for (const event of waited) {
      inHand.add(event.id)
      line({ event: withoutTarget(event), isNew: false, tries: event.tries, giveUpAt: event.give_up_at }, bodies)
    }
    for (const event of news) {
      readTo = logPositionOf(event)
      window.push(readTo)
      const job = { event: withoutTarget(event), isNew: true, tries: 0, giveUpAt: after(event.created_at, GIVE_UP_AFTER_MS) }
      if (event.known || inHand.has(event.id)) done.add(event.id)
      else if (event.blocked || held.has(resourceKey(event))) standBehind(job)
      else {
        inHand.add(event.id)
        line(job, bodies)
      }
    }
    isMore = waited.length === PAGE || news.length === PAGE
    return waited.length + news.length
  }

  function line(job: UnsentDelivery, bodies: ReadonlyMap<string, string>): void {
    const body = bodies.get(job.event.id)
    if (body === undefined) throw new Error(`event ${job.event.id} has no body`)
    lanes.add(resourceKey(job.event), { ...job, body })
  }

  function begin(): void {
    // a receiver that was down is tried with one
    const most = failures >= DOWN_AFTER_FAILURES ? 1 : CONCURRENCY
    while (receiver && underWay < most && lanes.isReady && mayBegin() && leasedUntil - world.machineClock.now() >= LEASE_MARGIN_MS) {
      const job = originConcurrency.acquire(receiver.origin, queue.subscription, begin) ? lanes.takeNext() : undefined
      if (!job) return
      underWay += 1
      void send(job, receiver)
    }
  }

  async function send(job: DeliveryJob, to: Receiver): Promise<void> {
    const attempted = await attemptDelivery(world, to, { id: job.event.id, body: job.body })
    underWay -= 1
    originConcurrency.release(to.origin)
    settle(job, attempted)
    begin()
    if (underWay === 0 || outcomes.length >= BATCH || (isMore && lanes.waiting < READ_MORE_BELOW)) wake()
  }

  function settle(job: DeliveryJob, { succeeded, attempt, requestedPause }: AttemptResult): void {
    if (succeeded) {
      failures = 0
      failingSince = null
      resumeAt = null
      dead = false
      lanes.finish(resourceKey(job.event))
      keep(job, { status: 'succeeded', attempt, due_at: null })
      return
    }
    const now = world.clock.now()
    countFailure(attempt.at, now)
    const end = Date.parse(job.giveUpAt)
    if (now >= end) {
      lanes.finish(resourceKey(job.event))
      keep(job, { status: 'failed', attempt, due_at: null })
      return
    }
    const pause = Math.max(withJitter(deliveryPauseAfter(job.tries + 1), Math.random()), requestedPause)
    // the last attempt is made when the time is over
    keep(job, { status: 'waiting', attempt, due_at: new Date(Math.min(now + pause, end)).toISOString() })
    holdBack(resourceKey(job.event))
  }

  /** What stands behind a delivery that waits is written without being sent; what is written already is put in line by the statement that writes. */
  function holdBack(lane: string): void {
    held.add(lane)
    for (const behind of lanes.block(lane)) {
      if (behind.isNew) standBehind(behind)
      else inHand.delete(behind.event.id)
    }
  }

  /** One more on end. Those that were under way when the queue went to rest are not counted again. */
  function countFailure(at: string, now: number): void {
    failingSince ??= at
    if (resumeAt !== null) return
    failures += 1
    if (failures < DOWN_AFTER_FAILURES) return
    resumeAt = new Date(now + queuePauseAfter(failures)).toISOString()
    dead = now - Date.parse(failingSince) >= GIVE_UP_AFTER_MS
  }

  function standBehind(job: UnsentDelivery): void {
    keep(job, { status: 'waiting', attempt: null, due_at: null })
  }

  function keep(
    { event, isNew, tries, giveUpAt }: UnsentDelivery,
    { status, attempt, due_at }: Pick<DeliveryOutcome, 'status' | 'attempt' | 'due_at'>,
  ): void {
    const { id, merchant_account_id, position, sequence, target_id, created_at, name } = event
    const counted = attempt ? tries + 1 : tries
    const outcome = { id, merchant_account_id, position, sequence, target_id, created_at, event_name: name, status, attempt, due_at }
    outcomes.push({ outcome: { ...outcome, tries: counted, give_up_at: giveUpAt }, isNew })
    inHand.add(id)
    if (isNew) done.add(id)
  }

  /** Writes what there is. False: the queue is somebody else's. */
  async function write(): Promise<boolean> {
    const batch = outcomes
    const open = window.findIndex(({ id }) => !done.has(id))
    const passed = open === -1 ? window.length : open
    if (batch.length === 0 && passed === 0 && leasedUntil - world.machineClock.now() > QUEUE_LEASE_MS / 2) return true
    outcomes = []
    held.clear()
    for (const event of window.splice(0, passed)) {
      place = event
      done.delete(event.id)
    }
    const until = world.machineClock.now() + QUEUE_LEASE_MS
    const targets = batch.flatMap(({ outcome, isNew }) => (isNew && outcome.status === 'succeeded' ? [] : [outcome.target_id]))
    const state = { logPosition: place, leasedUntil: new Date(until).toISOString(), resumeAt, failures, failingSince }
    const outcomesOfBatch = batch.map(({ outcome }) => outcome)
    if (!(await writeDeliveryOutcomes(world, queue, state, outcomesOfBatch, [...new Set(targets)]))) return false
    leasedUntil = until
    for (const { outcome } of batch) inHand.delete(outcome.id)
    return true
  }

  /** Until a batch is full, there is room for more, nothing is under way, or some time has passed. */
  function somethingToDo(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WRITE_INTERVAL_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const resourceKey = ({ merchant_account_id, target_id }: EventWithoutTarget) => `${merchant_account_id}\n${target_id}`

/** The columns that outcomes are written with. */
const withoutTarget = ({ target: _, ...event }: EventRow): EventWithoutTarget => event

const after = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()
