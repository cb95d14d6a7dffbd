import { setTimeout as wait } from 'node:timers/promises'
import type { World } from '../world.ts'
import { ANSWER_TIMEOUT, type Attempted, attempt, type Receiver, toReceiver } from './attempt.ts'
import { DOWN_AFTER, GIVE_UP_AFTER, jittered, pauseAfter, restAfter } from './back-off.ts'
import { disable } from './disable.ts'
import type { EventRow } from './event.ts'
import { type LogPlace, placeOf } from './event-log.ts'
import { makeLanes } from './lanes.ts'
import type { Room } from './room.ts'
import { type HeldQueue, LEASE, type Outcome, readDue, readNews, releaseQueue, writeOutcomes } from './webhook-queue.store.ts'
import { heldEndpoint } from './webhook-subscription.store.ts'

/** Requests to one subscription at a time: a receiver that hangs holds no more. */
const CONCURRENCY = 16
/** Events that are read at once. */
const PAGE = 200
/** Below so many that have not begun, more are read. */
const FEW = 100
/** Events beyond the place that are in memory at most: one that hangs keeps the place, not the others. */
const WINDOW = 2_000
/** Outcomes are written after so many, or after so many milliseconds. */
const BATCH = 200
const WRITE_EVERY = 100
/** Milliseconds for which what comes now and then is gathered: every look costs statements and a commit, however little it finds. */
const GATHER = 25
/** Milliseconds for which a queue goes on though others may wait for its place. */
const TURN = 5_000
/** Nothing is sent when less of the lease is left: another process could send it, too. */
const MARGIN = ANSWER_TIMEOUT + 1_000

/** An event without what is in its body. */
type Placed = Omit<EventRow, 'target'>

interface Unsent {
  event: Placed
  /** Not in `webhook_deliveries` yet. */
  isNew: boolean
  tries: number
  giveUpAt: string
}

interface Job extends Unsent {
  /** The event's JSON. */
  body: string
}

export interface Tending {
  /** Nothing more is to be begun. */
  isStopping(): boolean
  /** This process tends as many queues as it can: others may wait for a place among them. */
  isFull(): boolean
  room: Room
  /** The JSON of events, by their ids. What has waited is read anew: an erasure may have changed it since it was sent last. */
  bodiesOf(news: readonly EventRow[], waited: readonly EventRow[]): Promise<ReadonlyMap<string, string>>
}

/**
 * Sends what a queue has until there is nothing more, it must rest, its turn is over, or it is not held any more. Reading and writing alternate in one loop
 * while requests are under way beside it. However that ends, others take the queue only when nothing is under way any more. What has been sent and could not
 * be written is sent again by whoever takes it next, under the same id.
 */
export async function tendQueue(world: World, queue: HeldQueue, { isStopping, isFull, room, bodiesOf }: Tending): Promise<void> {
  const takenAt = world.machineClock.now()
  const lanes = makeLanes<Job>()
  /** Events beyond the place, in the order of the log; those that have an outcome are in `done`. */
  const window: LogPlace[] = []
  const done = new Set<string>()
  /** What is in the lanes, under way, or not written yet. */
  const inHand = new Set<string>()
  /** Resources of which one has failed and is not written yet. */
  const held = new Set<string>()
  let outcomes: { outcome: Outcome; isNew: boolean }[] = []
  let receiver: Receiver | undefined
  let place: LogPlace = { position: queue.position, sequence: queue.sequence, id: queue.id }
  let readTo = place
  let leasedUntil = takenAt + LEASE
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
      const found = mayBegin() && lanes.waiting < FEW ? await readMore() : 0
      begin()
      if (underWay === 0 && outcomes.length === 0 && (!mayBegin() || (found === 0 && lanes.waiting === 0))) break
      if ((underWay > 0 || lanes.waiting > 0) && outcomes.length < BATCH) await somethingToDo()
      if (!(await write())) return
      if (!isMore) await wait(GATHER)
    }
    if (dead) await disable(world, queue, place)
  } finally {
    isOver = true
    while (underWay > 0) await somethingToDo()
    await releaseQueue(world, queue)
  }

  function mayBegin(): boolean {
    return receiver !== undefined && !isOver && !isStopping() && !isTurnOver() && resumeAt === null && !dead
  }

  function isTurnOver(): boolean {
    return isFull() && world.machineClock.now() - takenAt >= TURN
  }

  /** Again in each round: what was changed holds from then on, and what was deleted, or is not held any more, is sent nothing more. */
  async function readReceiver(): Promise<void> {
    const endpoint = await heldEndpoint(world, queue)
    receiver = endpoint && toReceiver(endpoint)
  }

  /** Answers how many events were found, whether or not they are to be sent. */
  async function readMore(): Promise<number> {
    const waited = await readDue(world, queue, [...inHand], PAGE)
    const news = window.length < WINDOW ? await readNews(world, queue, readTo, PAGE) : []
    const bodies = await bodiesOf(
      news.filter(({ known, blocked }) => !known && !blocked),
      waited,
    )
    for (const event of waited) {
      inHand.add(event.id)
      line({ event: withoutTarget(event), isNew: false, tries: event.tries, giveUpAt: event.give_up_at }, bodies)
    }
    for (const event of news) {
      readTo = placeOf(event)
      window.push(readTo)
      const job = { event: withoutTarget(event), isNew: true, tries: 0, giveUpAt: after(event.created_at, GIVE_UP_AFTER) }
      if (event.known || inHand.has(event.id)) done.add(event.id)
      else if (event.blocked || held.has(laneOf(event))) standBehind(job)
      else {
        inHand.add(event.id)
        line(job, bodies)
      }
    }
    isMore = waited.length === PAGE || news.length === PAGE
    return waited.length + news.length
  }

  function line(job: Unsent, bodies: ReadonlyMap<string, string>): void {
    const body = bodies.get(job.event.id)
    if (body === undefined) throw new Error(`event ${job.event.id} has no body`)
    lanes.add(laneOf(job.event), { ...job, body })
  }

  function begin(): void {
    // a receiver that was down is tried with one
    const most = failures >= DOWN_AFTER ? 1 : CONCURRENCY
    while (receiver && underWay < most && lanes.isReady && mayBegin() && leasedUntil - world.machineClock.now() >= MARGIN) {
      const job = room.enter(receiver.origin, queue.subscription, begin) ? lanes.begin() : undefined
      if (!job) return
      underWay += 1
      void send(job, receiver)
    }
  }

  async function send(job: Job, to: Receiver): Promise<void> {
    const attempted = await attempt(world, to, { id: job.event.id, body: job.body })
    underWay -= 1
    room.leave(to.origin)
    settle(job, attempted)
    begin()
    if (underWay === 0 || outcomes.length >= BATCH || (isMore && lanes.waiting < FEW)) wake()
  }

  function settle(job: Job, { succeeded, attempt, askedPause }: Attempted): void {
    if (succeeded) {
      failures = 0
      failingSince = null
      resumeAt = null
      dead = false
      lanes.end(laneOf(job.event))
      keep(job, { status: 'succeeded', attempt, due_at: null })
      return
    }
    const now = world.clock.now()
    countFailure(attempt.at, now)
    const end = Date.parse(job.giveUpAt)
    if (now >= end) {
      lanes.end(laneOf(job.event))
      keep(job, { status: 'failed', attempt, due_at: null })
      return
    }
    const pause = Math.max(jittered(pauseAfter(job.tries + 1), Math.random()), askedPause)
    // the last attempt is made when the time is over
    keep(job, { status: 'waiting', attempt, due_at: new Date(Math.min(now + pause, end)).toISOString() })
    holdBack(laneOf(job.event))
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
    if (failures < DOWN_AFTER) return
    resumeAt = new Date(now + restAfter(failures)).toISOString()
    dead = now - Date.parse(failingSince) >= GIVE_UP_AFTER
  }

  function standBehind(job: Unsent): void {
    keep(job, { status: 'waiting', attempt: null, due_at: null })
  }

  function keep({ event, isNew, tries, giveUpAt }: Unsent, { status, attempt, due_at }: Pick<Outcome, 'status' | 'attempt' | 'due_at'>): void {
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
    if (batch.length === 0 && passed === 0 && leasedUntil - world.machineClock.now() > LEASE / 2) return true
    outcomes = []
    held.clear()
    for (const event of window.splice(0, passed)) {
      place = event
      done.delete(event.id)
    }
    const until = world.machineClock.now() + LEASE
    const targets = batch.flatMap(({ outcome, isNew }) => (isNew && outcome.status === 'succeeded' ? [] : [outcome.target_id]))
    const state = { place, leasedUntil: new Date(until).toISOString(), resumeAt, failures, failingSince }
    const outcomesOfBatch = batch.map(({ outcome }) => outcome)
    if (!(await writeOutcomes(world, queue, state, outcomesOfBatch, [...new Set(targets)]))) return false
    leasedUntil = until
    for (const { outcome } of batch) inHand.delete(outcome.id)
    return true
  }

  /** Until a batch is full, there is room for more, nothing is under way, or some time has passed. */
  function somethingToDo(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WRITE_EVERY)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const laneOf = ({ merchant_account_id, target_id }: Placed) => `${merchant_account_id}\n${target_id}`

/** The columns that outcomes are written with. */
const withoutTarget = ({ target: _, ...event }: EventRow): Placed => event

const after = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()
