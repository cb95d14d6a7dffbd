import { setTimeout as wait } from 'node:timers/promises'
import type { World } from '../../world.ts'
import type { DeliveryBody } from '../delivery-body.ts'
import type { EventRow } from '../event.row.ts'
import { type LogPosition, logPositionOf } from '../event-log.ts'
import { endpointOfLeasedQueue } from '../subscriptions/webhook-subscription.store.ts'
import { deliveryPauseAfter, GIVE_UP_AFTER_MS, withJitter } from './back-off.ts'
import {
  type AttemptResult,
  attemptDelivery,
  RECEIVER_TIMEOUT_MS,
  type Receiver,
  toReceiver,
  unsentAttempt,
} from './delivery-attempt.ts'
import {
  type DeliveryJob,
  outcomeOf,
  resourceKey,
  type UnsentDelivery,
  withoutTarget,
} from './delivery-job.ts'
import { disableSubscription } from './disable-subscription.ts'
import { toOrders } from './order-deliveries.ts'
import type { OriginConcurrency } from './origin-concurrency.ts'
import { readDue, readNewEvents } from './queued-events.store.ts'
import { afterFailure, healthOf, healthy, isDown, maySendTo, type ReceiverHealth } from './receiver-health.ts'
import { makeResourceQueues } from './resource-queues.ts'
import {
  type DeliveryOutcome,
  type LeasedQueue,
  QUEUE_LEASE_MS,
  releaseQueue,
  writeDeliveryOutcomes,
} from './webhook-queue.store.ts'

/** Requests in flight to one subscription: a receiver that does not answer occupies no more. */
const CONCURRENCY = 16
/** Events that one statement reads. */
const PAGE = 200
/** More events are read when fewer than this many wait to be sent. */
const READ_MORE_BELOW = 100
/**
 * Events after the queue's position that are in memory at most. A delivery without an answer stops the
 * position, but not the later events.
 */
const MAX_EVENTS_IN_MEMORY = 2_000
/** Outcomes are written after this many, or after this many milliseconds. */
const BATCH = 200
const WRITE_INTERVAL_MS = 100
/**
 * Milliseconds between two rounds when few events come: each round costs statements and a commit, so it
 * collects several events.
 */
const GATHER_MS = 25
/**
 * Milliseconds after which a queue gives its slot to another queue, when this process has as many queues as
 * it can serve.
 */
const TURN_MS = 5_000
/**
 * No request is sent when less of the lease is left: another process could send the event at the same time.
 */
const LEASE_MARGIN_MS = RECEIVER_TIMEOUT_MS + 1_000

export interface DeliveryContext {
  /** The process stops: no further request may be sent. */
  isStopping(): boolean
  /** This process serves as many queues as it can, so that other queues may wait for a slot. */
  isFull(): boolean
  originConcurrency: OriginConcurrency
  /** A recent horizon of the log of events. */
  recentHorizon(): Promise<number>
  /**
   * What is sent of events, by their ids. That of waiting events is made anew: an erasure may have changed the
   * event since its last attempt. That of new events was read after `since`, a time of the machine's clock.
   */
  bodiesOf(
    newEvents: readonly EventRow[],
    waitingEvents: readonly EventRow[],
    since: number,
  ): Promise<ReadonlyMap<string, DeliveryBody>>
}

/**
 * Sends the deliveries of a leased queue, until the queue is empty, must pause, has used its turn, or its
 * lease is lost. The queue is then released. A process that dies leaves attempts that are not recorded: the
 * next process sends those events again, under the same ids.
 */
export const deliverQueue = (world: World, queue: LeasedQueue, context: DeliveryContext): Promise<void> =>
  new QueueDelivery(world, queue, context).run()

/**
 * One turn of a queue: from its lease to its release. One loop reads events and writes outcomes, while
 * requests are in flight beside it. The queue is released only when no request is in flight.
 */
class QueueDelivery {
  readonly #world: World
  readonly #queue: LeasedQueue
  readonly #context: DeliveryContext
  readonly #startedAt: number

  readonly #resourceQueues = makeResourceQueues<DeliveryJob>()
  /**
   * Events after `#position`, in the order of the log. `#position` moves past the first of them while those
   * have an outcome.
   */
  readonly #window: LogPosition[] = []
  /** Events of the window that have an outcome, written or in `#outcomes`. */
  readonly #withOutcome = new Set<string>()
  /** Events that wait in a resource queue, are in flight, or whose outcome is not written yet. */
  readonly #inMemory = new Set<string>()
  /** Resources with a failed delivery whose outcome is not written yet: their later events wait. */
  readonly #blockedResources = new Set<string>()
  #outcomes: { outcome: DeliveryOutcome; isNew: boolean }[] = []
  /** Up to this event every event has an outcome. */
  #position: LogPosition
  #readUpTo: LogPosition
  /** The last read filled a page, so that there may be more. */
  #hasMore = false

  /** Undefined: the subscription is inactive or deleted, the lease is lost, or events were erased. */
  #receiver: Receiver | undefined
  #health: ReceiverHealth

  #leasedUntil: number
  #inFlight = 0
  #hasEnded = false
  #wake = () => {}

  constructor(world: World, queue: LeasedQueue, context: DeliveryContext) {
    this.#world = world
    this.#queue = queue
    this.#context = context
    this.#startedAt = world.machineClock.now()
    this.#leasedUntil = this.#startedAt + QUEUE_LEASE_MS
    this.#position = { position: queue.position, sequence: queue.sequence, id: queue.id }
    this.#readUpTo = this.#position
    this.#health = healthOf(queue)
  }

  async run(): Promise<void> {
    const queues = this.#resourceQueues
    try {
      for (;;) {
        await this.#readReceiver()
        const found = this.#maySend() && queues.waiting < READ_MORE_BELOW ? await this.#readMore() : 0
        this.#startDeliveries()
        if (
          this.#inFlight === 0 &&
          this.#outcomes.length === 0 &&
          (!this.#maySend() || (found === 0 && queues.waiting === 0))
        )
          break
        if ((this.#inFlight > 0 || queues.waiting > 0) && this.#outcomes.length < BATCH)
          await this.#waitForWork()
        if (!(await this.#writeOutcomes())) return
        if (!this.#hasMore) await wait(GATHER_MS)
      }
      if (this.#health.isGivenUp) await disableSubscription(this.#world, this.#queue, this.#position)
    } finally {
      this.#hasEnded = true
      while (this.#inFlight > 0) await this.#waitForWork()
      await releaseQueue(this.#world, this.#queue)
    }
  }

  #maySend(): boolean {
    const isStopping = this.#hasEnded || this.#context.isStopping()
    return this.#receiver !== undefined && !isStopping && !this.#hasUsedTurn() && maySendTo(this.#health)
  }

  #hasUsedTurn(): boolean {
    return this.#context.isFull() && this.#world.machineClock.now() - this.#startedAt >= TURN_MS
  }

  /**
   * Each round reads it again: a changed URL holds from then on, and a deleted subscription or a lost lease
   * ends the deliveries. So does an erasure, since the bodies in memory may have what it erased.
   */
  async #readReceiver(): Promise<void> {
    const endpoint = await endpointOfLeasedQueue(this.#world, this.#queue)
    this.#receiver = endpoint && toReceiver(endpoint)
  }

  /**
   * Reads due deliveries and new events. Answers how many it found, whether or not they are to be sent now.
   */
  async #readMore(): Promise<number> {
    const { waiting, fresh, bodies } = await this.#find()
    for (const event of waiting)
      this.#enqueue(
        { event: withoutTarget(event), isNew: false, tries: event.tries, giveUpAt: event.give_up_at },
        bodies,
      )
    for (const event of fresh) {
      this.#readUpTo = logPositionOf(event)
      this.#window.push(this.#readUpTo)
      const delivery = {
        event: withoutTarget(event),
        isNew: true,
        tries: 0,
        giveUpAt: timeAfter(event.created_at, GIVE_UP_AFTER_MS),
      }
      if (event.state === 'recorded' || this.#inMemory.has(event.id)) this.#withOutcome.add(event.id)
      else if (event.state === 'blocked' || this.#blockedResources.has(resourceKey(event)))
        this.#addBlocked(delivery)
      else this.#enqueue(delivery, bodies)
    }
    this.#hasMore = waiting.length === PAGE || fresh.length === PAGE
    return waiting.length + fresh.length
  }

  async #find() {
    const queue = this.#queue
    const waiting = await readDue(this.#world, queue, [...this.#inMemory], PAGE)
    const fresh =
      this.#window.length < MAX_EVENTS_IN_MEMORY
        ? await readNewEvents(
            this.#world,
            queue,
            { after: this.#readUpTo, horizon: await this.#context.recentHorizon() },
            PAGE,
          )
        : []
    if (queue.form === 'agentic-order') return toOrders(this.#world, queue, { waiting, fresh })
    const bodies = await this.#context.bodiesOf(
      fresh.filter(({ state }) => state === 'new'),
      waiting,
      this.#startedAt,
    )
    return { waiting, fresh, bodies }
  }

  #enqueue(delivery: UnsentDelivery, bodies: ReadonlyMap<string, DeliveryBody>): void {
    const { event } = delivery
    this.#inMemory.add(event.id)
    const body = bodies.get(event.id) ?? { reason: 'could not be sent', isFinal: false }
    this.#resourceQueues.add(resourceKey(event), { ...delivery, body })
  }

  readonly #startDeliveries = (): void => {
    const limit = isDown(this.#health) ? 1 : CONCURRENCY
    while (
      this.#receiver &&
      this.#inFlight < limit &&
      this.#resourceQueues.isReady &&
      this.#maySend() &&
      this.#hasLeaseLeft()
    ) {
      const receiver = this.#receiver
      const hasSlot = this.#context.originConcurrency.acquire(
        receiver.origin,
        this.#queue.subscription,
        this.#startDeliveries,
      )
      const job = hasSlot ? this.#resourceQueues.takeNext() : undefined
      if (!job) return
      this.#inFlight += 1
      void this.#deliver(job, receiver)
    }
  }

  #hasLeaseLeft(): boolean {
    return this.#leasedUntil - this.#world.machineClock.now() >= LEASE_MARGIN_MS
  }

  async #deliver(job: DeliveryJob, receiver: Receiver): Promise<void> {
    const { event, body } = job
    const result = await (typeof body === 'string'
      ? attemptDelivery(this.#world, receiver, { id: event.id, body })
      : unsentAttempt(this.#world, receiver, body))
    this.#inFlight -= 1
    this.#context.originConcurrency.release(receiver.origin)
    this.#recordAttempt(job, result)
    this.#startDeliveries()
    const needsEvents = this.#hasMore && this.#resourceQueues.waiting < READ_MORE_BELOW
    if (this.#inFlight === 0 || this.#outcomes.length >= BATCH || needsEvents) this.#wake()
  }

  #recordAttempt(job: DeliveryJob, { succeeded, attempt, requestedPause }: AttemptResult): void {
    const resource = resourceKey(job.event)
    if (succeeded) {
      this.#health = healthy
      this.#resourceQueues.finish(resource)
      this.#addOutcome(job, { status: 'succeeded', attempt, due_at: null })
      return
    }
    const now = this.#world.clock.now()
    const unsendable = typeof job.body === 'string' ? undefined : job.body
    // a body that cannot be made says nothing of the receiver
    if (!unsendable) this.#health = afterFailure(this.#health, attempt.at, now)
    const giveUpAt = Date.parse(job.giveUpAt)
    if (now >= giveUpAt || unsendable?.isFinal) {
      this.#resourceQueues.finish(resource)
      this.#addOutcome(job, { status: 'failed', attempt, due_at: null })
      return
    }
    const pause = Math.max(withJitter(deliveryPauseAfter(job.tries + 1), Math.random()), requestedPause)
    // the last attempt is made at the end of the seven days
    this.#addOutcome(job, {
      status: 'waiting',
      attempt,
      due_at: new Date(Math.min(now + pause, giveUpAt)).toISOString(),
    })
    this.#blockResource(resource)
  }

  /**
   * The later deliveries of a resource wait behind the failed one. New ones are recorded as waiting; those
   * that are recorded already get their place in line from the statement that writes the outcomes.
   */
  #blockResource(resource: string): void {
    this.#blockedResources.add(resource)
    for (const delivery of this.#resourceQueues.block(resource)) {
      if (delivery.isNew) this.#addBlocked(delivery)
      else this.#inMemory.delete(delivery.event.id)
    }
  }

  #addBlocked(delivery: UnsentDelivery): void {
    this.#addOutcome(delivery, { status: 'waiting', attempt: null, due_at: null })
  }

  #addOutcome(
    delivery: UnsentDelivery,
    result: Pick<DeliveryOutcome, 'status' | 'attempt' | 'due_at'>,
  ): void {
    const { event, isNew } = delivery
    this.#outcomes.push({ outcome: outcomeOf(delivery, result), isNew })
    this.#inMemory.add(event.id)
    if (isNew) this.#withOutcome.add(event.id)
  }

  /**
   * Writes outcomes, position and lease, when there is a change or half of the lease is over. False: the
   * lease is lost.
   */
  async #writeOutcomes(): Promise<boolean> {
    const batch = this.#outcomes
    const firstOpen = this.#window.findIndex(({ id }) => !this.#withOutcome.has(id))
    const passed = firstOpen === -1 ? this.#window.length : firstOpen
    if (
      batch.length === 0 &&
      passed === 0 &&
      this.#leasedUntil - this.#world.machineClock.now() > QUEUE_LEASE_MS / 2
    )
      return true
    this.#outcomes = []
    this.#blockedResources.clear()
    for (const event of this.#window.splice(0, passed)) {
      this.#position = event
      this.#withOutcome.delete(event.id)
    }
    const leasedUntil = this.#world.machineClock.now() + QUEUE_LEASE_MS
    const state = {
      logPosition: this.#position,
      leasedUntil: new Date(leasedUntil).toISOString(),
      resumeAt: this.#health.resumeAt,
      failures: this.#health.failures,
      failingSince: this.#health.failingSince,
    }
    const outcomes = batch.map(({ outcome }) => outcome)
    const waitingTargets = batch.flatMap(({ outcome, isNew }) =>
      isNew && outcome.status === 'succeeded' ? [] : [outcome.target_id],
    )
    if (
      !(await writeDeliveryOutcomes(this.#world, this.#queue, state, outcomes, [...new Set(waitingTargets)]))
    )
      return false
    this.#leasedUntil = leasedUntil
    for (const { id } of outcomes) this.#inMemory.delete(id)
    return true
  }

  /**
   * Waits until a batch is full, more events can be read, no request is in flight, or `WRITE_INTERVAL_MS`
   * have passed.
   */
  #waitForWork(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WRITE_INTERVAL_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const timeAfter = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString()
