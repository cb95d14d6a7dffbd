import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Instance, startInstance } from '../instance.ts'
import type { Options } from '../options.ts'
import { headersOf } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, ratio } from '../rounds.ts'
import { countDelivered, exampleBody, fillEvents } from './fill.ts'
import { measureLag } from './lag.ts'
import { startPosts } from './posts.ts'
import { startReceiver } from './receiver.ts'

const SUBSCRIPTIONS = 5
/** Requests to one receiver at a time, as `events/delivery/deliver-queue.ts` has it. */
const AT_A_TIME = 16
/** What a second is taken to be enough for. */
const PER_SECOND = 3_000
const TIMEOUT_MS = 60_000

/**
 * How fast one process tells receivers of events that are there, beside bare posts to the same receiver; and
 * how soon it tells them of those that come.
 */
export async function measureWebhooks(options: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres')
  const receiver = startReceiver()
  const posts = startPosts()
  const { url: origin } = await receiver.ask({ ask: 'listen' })
  const paths = Array.from({ length: SUBSCRIPTIONS }, (_, index) => `/hooks/${index}`)
  const subscriptions = await Promise.all(paths.map((path) => subscribe(instance, `${origin}${path}`)))

  const bare = (count: number): Contender => ({
    name: `bare undici posts @ ${count * AT_A_TIME}`,
    async measure(seconds) {
      await receiver.ask({ ask: 'forget' })
      const many = Math.round(seconds * PER_SECOND)
      const { errors } = await posts.ask({
        origin,
        paths: paths.slice(0, count),
        count: many,
        atATime: count * AT_A_TIME,
        body: exampleBody,
      })
      const { deliveries, seconds: took } = await receiver.ask({
        ask: 'wait',
        deliveries: many,
        withinMs: TIMEOUT_MS,
      })
      return { rate: deliveries / took, errors: errors + many - deliveries }
    },
  })
  const sender = (count: number): Contender => ({
    name: `deliveries, ${count === 1 ? 'one subscription' : `${count} subscriptions`}`,
    async measure(seconds) {
      const events = Math.round((seconds * PER_SECOND) / count)
      const active = subscriptions.slice(0, count)
      await Promise.all(active.map((id) => setActive(instance, id, true)))
      await receiver.ask({ ask: 'forget' })
      const [before, cpu] = [await countDelivered(databaseOf(instance)), instance.cpuMs()]
      await fillEvents(databaseOf(instance), events, randomUUID())
      const seen = await receiver.ask({ ask: 'wait', deliveries: events * count, withinMs: TIMEOUT_MS })
      const cpuMs = (instance.cpuMs() - cpu) / (events * count)
      const written = await waitForDelivered(instance, before + events * count)
      await Promise.all(active.map((id) => setActive(instance, id, false)))
      const errors =
        events * count - Math.min(seen.deliveries, written - before) + (seen.requests - seen.deliveries)
      return { rate: seen.deliveries / seen.seconds, cpuMs, loopDelay: await instance.loopDelay(), errors }
    },
  })
  const contenders = [bare(1), sender(1), bare(SUBSCRIPTIONS), sender(SUBSCRIPTIONS)]
  const [bareOne, one, bareMany, many] = contenders.map(({ name }) => name) as [
    string,
    string,
    string,
    string,
  ]
  const results = await interleave(contenders, options)
  console.log('\n### Webhooks, PostgreSQL\n')
  console.log(
    table(
      ['', 'per second', 'CPU-ms each', 'loop delay p99 ms'],
      contenders.map(({ name }) => [
        name,
        spread(over(results, name, ({ rate }) => rate)),
        ...[over(results, name, ({ cpuMs }) => cpuMs), over(results, name, ({ loopDelay }) => loopDelay)].map(
          ({ median }) => number(median),
        ),
      ]),
    ),
  )
  const lag = await measureLag({ instance, receiver, subscriptions, setActive }, options)
  posts.stop()
  receiver.stop()
  await instance.close()
  const rateOf = (name: string) => over(results, name, ({ rate }) => rate)
  const goals: Goal[] = [
    {
      name: 'deliveries of one process, one subscription',
      figure: rateOf(one),
      unit: '/s',
      better: 'higher',
      gate: 2_000,
    },
    {
      name: `deliveries of one process, ${SUBSCRIPTIONS} subscriptions`,
      figure: rateOf(many),
      unit: '/s',
      better: 'higher',
      gate: 2_000,
    },
    {
      name: 'P11 deliveries ÷ bare posts, one subscription',
      figure: ratio(results, one, bareOne),
      unit: '',
      better: 'higher',
      gate: 0.2,
      aim: 0.35,
    },
    {
      name: `P11 deliveries ÷ bare posts, ${SUBSCRIPTIONS} subscriptions`,
      figure: ratio(results, many, bareMany),
      unit: '',
      better: 'higher',
      gate: 0.2,
      aim: 0.35,
    },
    ...lag.goals,
  ]
  return { goals, problems: [...failures(results), ...lag.problems] }
}

const databaseOf = ({ place }: Instance) => place.env['DATABASE_URL'] ?? ''

async function ask<T>(instance: Instance, method: 'POST' | 'PUT', path: string, body: object): Promise<T> {
  const answer = await fetch(`${instance.url}${path}`, {
    method,
    headers: headersOf(instance),
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

const subscribe = async (instance: Instance, url: string): Promise<string> =>
  (await ask<{ id: string }>(instance, 'POST', '/webhook-subscriptions', { url, active: false })).id

/** A subscription that becomes active receives the events from then on. */
const setActive = async (instance: Instance, id: string, active: boolean): Promise<void> =>
  void (await ask(instance, 'PUT', `/webhook-subscriptions/${id}`, { active }))

async function waitForDelivered(instance: Instance, count: number): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const delivered = await countDelivered(databaseOf(instance))
    if (delivered >= count || performance.now() > deadline) return delivered
    await wait(50)
  }
}
