import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Instance } from '../instance.ts'
import { pay } from '../pay/payment.ts'
import { number, table } from '../report.ts'
import { quantile } from '../statistics.ts'

const PER_SECOND = 40
/** The first payments are not measured: the server compiles its code. */
const WARM_UP_MS = 20_000
/** How long payments are measured before the work, and after it. */
const REST_MS = 15_000
const POLL_MS = 5

interface Payment {
  /** When it was to be sent. */
  due: number
  /** Milliseconds from then until its answer, however late it was sent. */
  ms: number
  failure?: string
}

/**
 * Does the work while payments are made in an open loop, and prints how long it took, how long the table of payments
 * was locked, and the payments before, during and after the work. Answers the failures of payments.
 */
export async function measureWhilePaying(instance: Instance, work: () => Promise<void>): Promise<string[]> {
  let [began, ended] = [0, 0]
  const payments = await payWhile(instance, async () => {
    await wait(WARM_UP_MS + REST_MS)
    began = performance.now()
    const { held, awaited, everyMs } = await watchLock(instance.place.env['DATABASE_URL'], work)
    ended = performance.now()
    console.log(
      `${number((ended - began) / 1_000)} s in all. \`transactions\` was locked for ${number(held)} s; before that, statements waited behind the request for the lock for ${number(awaited)} s (pg_locks was polled every ${number(everyMs)} ms)\n`,
    )
    await wait(REST_MS)
  })
  const row = (name: string, from: number, to: number): string[] => {
    const made = payments.filter(({ due }) => due >= from && due < to)
    const times = Float64Array.from(made, ({ ms }) => ms).sort()
    const failed = made.filter(({ failure }) => failure !== undefined)
    return [
      name,
      ...[made.length, failed.length].map((count) => count.toLocaleString('en-US')),
      ...[0.5, 0.99, 1].map((share) => number(quantile(times, share))),
    ]
  }
  console.log(
    table(
      [`${PER_SECOND} payments a second`, 'payments', 'failed', 'p50 ms', 'p99 ms', 'slowest ms'],
      [
        row('before', began - REST_MS, began),
        row('during', began, ended),
        row('after', ended, Number.POSITIVE_INFINITY),
      ],
    ),
  )
  return payments.flatMap(({ failure }) => failure ?? [])
}

/** Runs the loop until the work is done. */
async function loopWhile<T>(
  work: () => Promise<void>,
  loop: (isOver: () => boolean) => Promise<T>,
): Promise<T> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const [result] = await Promise.all([loop(() => isOver), working])
  return result
}

/** Makes payments with Poisson arrivals, whether or not earlier ones are answered. */
const payWhile = (instance: Instance, work: () => Promise<void>): Promise<Payment[]> =>
  loopWhile(work, async (isOver) => {
    const sent: Promise<Payment>[] = []
    for (let due = performance.now(); !isOver(); due -= (Math.log(1 - Math.random()) / PER_SECOND) * 1_000) {
      await wait(Math.max(0, due - performance.now()))
      const ms = () => performance.now() - due
      sent.push(
        pay(instance).then(
          () => ({ due, ms: ms() }),
          (error: unknown) => ({ due, ms: ms(), failure: String(error) }),
        ),
      )
    }
    return Promise.all(sent)
  })

const selectLock = `
select granted
  from pg_locks
 where database = (select oid from pg_database where datname = current_database())
   and relation = $1
   and mode = 'AccessExclusiveLock'
 order by granted desc`

/**
 * The seconds for which `transactions` was locked in ACCESS EXCLUSIVE mode, and for which that lock was awaited. It is
 * polled from a connection of its own; what was seen counts until the next look.
 */
async function watchLock(connectionString: string | undefined, work: () => Promise<void>) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  // the first cut makes a new table of this name, and the one that it locks keeps its identity
  const { rows: tables } = await client.query<{ oid: number }>(`select 'transactions'::regclass::oid as oid`)
  return loopWhile(work, async (isOver) => {
    const seconds = { held: 0, awaited: 0 }
    const began = performance.now()
    let looks = 0
    for (let last = began; !isOver(); looks++) {
      const { rows } = await client.query<{ granted: boolean }>(selectLock, [tables[0]?.oid])
      await wait(POLL_MS)
      const now = performance.now()
      if (rows[0]) seconds[rows[0].granted ? 'held' : 'awaited'] += (now - last) / 1_000
      last = now
    }
    return { ...seconds, everyMs: (performance.now() - began) / looks }
  }).finally(() => client.end())
}
