import { movedClocks } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { forEachAccountTime } from '../../base/account-clock.ts'
import { waitUntilReadable } from '../../database/logs/event-log.ts'
import type { World } from '../../world.ts'
import { showEvents } from '../event.ts'
import { type DeliveryContext, deliverQueue } from './deliver-queue.ts'
import { makeOriginConcurrency } from './origin-concurrency.ts'
import { leaseQueues } from './webhook-queue.store.ts'

/** Sends webhooks, in every process. */
export interface Sender {
  /** Sends everything that is committed and due now, and waits for the answers. */
  runOnce(): Promise<void>
  /** Begins nothing more, waits for what is under way, and hands its queues back. */
  stop(): Promise<void>
}

const POLL_INTERVAL_MS = 100
/** Queues that one process tends at a time. Those that rest are not among them. */
const MAX_LEASED_QUEUES = 64
/** Events whose JSON is kept, since several subscriptions are told of each. */
const MAX_BODIES = 4_000
/** Milliseconds for which it is kept: what an erasure takes out of an event meanwhile may be sent for so long. */
const BODY_CACHED_MS = 10_000

/** Looks for queues with work ten times a second, where there is an active subscription at all. Each is tended beside the others: a slow one delays no other. */
export function startSender(world: World): Sender {
  const tended = new Map<string, Promise<void>>()
  const bodiesOf = makeBodyCache(world)
  const room = makeOriginConcurrency()
  let stopped = false
  let taking: Promise<number> | undefined

  const take = async (): Promise<number> => {
    if (stopped || !(await hasActiveSubscription(world))) return 0
    return forEachAccountTime(await movedClocks(world), takeHere, await accountsWithSubscriptions(world))
  }
  const takeHere = async (): Promise<number> => {
    if (tended.size >= MAX_LEASED_QUEUES) return 0
    const queues = await leaseQueues(world, MAX_LEASED_QUEUES - tended.size, [...tended.keys()])
    for (const queue of queues) {
      const tending = deliverQueue(world, queue, {
        isStopping: () => stopped,
        isFull: () => tended.size >= MAX_LEASED_QUEUES,
        originConcurrency: room,
        bodiesOf,
      })
        .catch((error) => world.log.error({ err: error, subscription: queue.subscription }, 'a webhook queue could not be tended; it is taken again'))
        .finally(() => tended.delete(queue.subscription))
      tended.set(queue.subscription, tending)
    }
    return queues.length
  }
  const takeOnce = () => {
    taking ??= take().finally(() => {
      taking = undefined
    })
    return taking
  }
  let isFailing = false
  const timer = setInterval(() => {
    void takeOnce().then(() => {
      isFailing = false
    }, failed)
  }, POLL_INTERVAL_MS).unref()
  /** Once for each time that the database is away: ten lines a second would drown the others. */
  function failed(error: unknown): void {
    if (!isFailing) world.log.error({ err: error }, 'webhook queues could not be read; they are tried again until they can')
    isFailing = true
  }

  const sendAll = async () => {
    await waitUntilReadable(world)
    do {
      await Promise.all(tended.values())
      // what began before this call may have looked before there was something
      await taking
    } while ((await takeOnce()) > 0 || tended.size > 0)
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
      await taking?.catch(failed)
      await Promise.all(tended.values())
      await Promise.allSettled(rounds)
    },
  }
}

/** Cached, so that nothing is asked ten times a second where nobody subscribes. */
const hasActiveSubscription = (world: World): Promise<boolean> =>
  world.cache.get('webhook_subscriptions', 'any active', async () => {
    const active = world.db.selectFrom('webhook_subscriptions').select('id').where('active', '=', true).where('deleted_at', 'is', null)
    return (await active.limit(1).execute()).length > 0
  })

/** The accounts with subscriptions of their own. */
const accountsWithSubscriptions = (world: World): Promise<ReadonlySet<string>> =>
  world.cache.get('webhook_subscriptions', 'accounts with active ones', async () => {
    const active = world.db.selectFrom('webhook_subscriptions').select('merchant_account_id').distinct().where('active', '=', true)
    const rows = await active.where('deleted_at', 'is', null).where('merchant_account_id', 'is not', null).execute()
    return new Set(rows.flatMap(({ merchant_account_id: account }) => account ?? []))
  })

/** An event's JSON is made once for all subscriptions that are told of it at about the same time. */
function makeBodyCache(world: World): DeliveryContext['bodiesOf'] {
  const known = new Map<string, { body: string; until: number }>()
  return async (news, waited) => {
    const now = world.machineClock.now()
    const wanted = new Map<string, string>()
    for (const { id } of news) {
      const kept = known.get(id)
      if (kept && kept.until > now) wanted.set(id, kept.body)
    }
    const made = await showEvents(world, [...waited, ...news.filter(({ id }) => !wanted.has(id))])
    if (known.size + made.length > MAX_BODIES) known.clear()
    for (const event of made) {
      const body = JSON.stringify(event)
      known.set(event.id, { body, until: now + BODY_CACHED_MS })
      wanted.set(event.id, body)
    }
    return wanted
  }
}
