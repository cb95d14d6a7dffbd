import { movedClocks } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { forEachAccountTime } from '../../base/account-clock.ts'
import { waitUntilReadable } from '../../database/logs/event-log.ts'
import { makeSharedHorizon } from '../../database/logs/shared-horizon.ts'
import type { World } from '../../world.ts'
import { type DeliveryBody, deliveryBody } from '../delivery-body.ts'
import { readEvents } from '../event.ts'
import { type DeliveryContext, deliverQueue } from './deliver-queue.ts'
import { makeOriginConcurrency } from './origin-concurrency.ts'
import { leaseQueues } from './webhook-queue.store.ts'

/** Sends webhooks, in every process. */
export interface Sender {
  /** Sends every event that is committed and due now, and waits for the answers. */
  runOnce(): Promise<void>
  /** Sends no further request, waits for those in flight, and releases the queues. */
  stop(): Promise<void>
}

const POLL_INTERVAL_MS = 100
/** Queues that one process serves at a time. Queues that pause do not count. */
const MAX_LEASED_QUEUES = 64
/** Events whose JSON is cached, since several subscriptions receive each event. */
const MAX_BODIES = 4_000
/**
 * How long it is cached, in milliseconds. For this long a delivery may still contain data that an erasure has
 * removed from the event.
 */
const BODY_CACHED_MS = 10_000

/**
 * Looks for queues with work ten times a second, if there is an active subscription. Queues are served side
 * by side: a slow one delays no other.
 */
export function startSender(world: World): Sender {
  const served = new Map<string, Promise<void>>()
  const bodiesOf = makeBodyCache(world)
  const originConcurrency = makeOriginConcurrency()
  const horizon = makeSharedHorizon(world)
  let stopped = false
  let leasing: Promise<number> | undefined

  const leaseInEachTime = async (askHorizon: () => Promise<number>): Promise<number> => {
    if (stopped || !(await hasActiveSubscription(world))) return 0
    return forEachAccountTime(
      await movedClocks(world),
      () => leaseInCurrentTime(askHorizon),
      await accountsWithSubscriptions(world),
    )
  }
  const leaseInCurrentTime = async (askHorizon: () => Promise<number>): Promise<number> => {
    if (served.size >= MAX_LEASED_QUEUES) return 0
    const queues = await leaseQueues(world, await askHorizon(), MAX_LEASED_QUEUES - served.size, [
      ...served.keys(),
    ])
    for (const queue of queues) {
      const serving = deliverQueue(world, queue, {
        isStopping: () => stopped,
        isFull: () => served.size >= MAX_LEASED_QUEUES,
        originConcurrency,
        recentHorizon: horizon.recent,
        bodiesOf,
      })
        .catch((error) =>
          world.log.error(
            { err: error, subscription: queue.subscription },
            'a webhook queue failed; it will be leased again',
          ),
        )
        .finally(() => served.delete(queue.subscription))
      served.set(queue.subscription, serving)
    }
    return queues.length
  }
  const leaseOnce = (askHorizon: () => Promise<number>) => {
    leasing ??= leaseInEachTime(askHorizon).finally(() => {
      leasing = undefined
    })
    return leasing
  }
  let isFailing = false
  const timer = setInterval(() => {
    void leaseOnce(horizon.recent).then(() => {
      isFailing = false
    }, logFailure)
  }, POLL_INTERVAL_MS).unref()
  /** Logs one line for each outage of the database: ten lines a second would drown the others. */
  function logFailure(error: unknown): void {
    if (!isFailing)
      world.log.error(
        { err: error },
        'webhook queues could not be read; the sender tries again until it succeeds',
      )
    isFailing = true
  }

  const sendAll = async () => {
    await waitUntilReadable(world)
    do {
      await Promise.all(served.values())
      // a search that began before this call may have missed the newest events
      await leasing
    } while ((await leaseOnce(horizon.renew)) > 0 || served.size > 0)
  }
  const rounds = new Set<Promise<void>>()

  return {
    async runOnce() {
      if (stopped) return
      const round = sendAll()
      rounds.add(round)
      await round.finally(() => rounds.delete(round))
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await leasing?.catch(logFailure)
      await Promise.all(served.values())
      await Promise.allSettled(rounds)
    },
  }
}

/** Cached, so that an instance without subscriptions does not ask the database ten times a second. */
const hasActiveSubscription = (world: World): Promise<boolean> =>
  world.cache.get('webhook_subscriptions', 'any active', async () => {
    const active = world.db
      .selectFrom('webhook_subscriptions')
      .select('id')
      .where('active', '=', true)
      .where('deleted_at', 'is', null)
    return (await active.limit(1).execute()).length > 0
  })

/** The accounts with active subscriptions of their own. */
const accountsWithSubscriptions = (world: World): Promise<ReadonlySet<string>> =>
  world.cache.get('webhook_subscriptions', 'accounts with active ones', async () => {
    const active = world.db
      .selectFrom('webhook_subscriptions')
      .select('merchant_account_id')
      .distinct()
      .where('active', '=', true)
    const rows = await active
      .where('deleted_at', 'is', null)
      .where('merchant_account_id', 'is not', null)
      .execute()
    return new Set(rows.flatMap(({ merchant_account_id: account }) => account ?? []))
  })

/** Makes the JSON of a new event once for all subscriptions that receive it at about the same time. */
function makeBodyCache(world: World): DeliveryContext['bodiesOf'] {
  const cache = new Map<string, { body: DeliveryBody; readAt: number }>()
  return async (newEvents, waitingEvents, since) => {
    const now = world.machineClock.now()
    const bodies = new Map<string, DeliveryBody>()
    for (const { id } of newEvents) {
      const cached = cache.get(id)
      if (cached && cached.readAt > since && cached.readAt > now - BODY_CACHED_MS) bodies.set(id, cached.body)
    }
    const events = await readEvents(world, [
      ...waitingEvents,
      ...newEvents.filter(({ id }) => !bodies.has(id)),
    ])
    if (cache.size + events.size > MAX_BODIES) cache.clear()
    for (const [id, show] of events) {
      const body = deliveryBody(show)
      cache.set(id, { body, readAt: now })
      bodies.set(id, body)
    }
    return bodies
  }
}
