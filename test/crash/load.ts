import { setTimeout as wait } from 'node:timers/promises'
import { buy } from './buyer.ts'
import { type Chance, seeded } from './chance.ts'
import type { Client, Sent } from './client.ts'
import type { Instruments } from './instruments.ts'
import { creation, followUp, type Payment, paymentOf } from './requests.ts'
import type { Reviewer } from './reviewer.ts'

/**
 * A load of new requests in flight, and at most as many repetitions under their keys until they are answered.
 */
export interface Load {
  /** The service is up: continues. */
  resume(): void
  /** The service is down: waits. */
  pause(): void
  /** Sends no new requests and waits for the answers. False: some were not answered in time. */
  finish(withinMs: number): Promise<boolean>
}

const REMEMBERED = 400
/** A merchant with so many requests to repeat sends no new ones: after a long outage they would take minutes. */
const MOST_UNANSWERED = 64
const PAUSE_MS = 50
const REFUSED_PAUSE_MS = 250

export function startLoad(
  client: Client,
  {
    seed,
    workers,
    purse,
    reviewer,
  }: { seed: number; workers: number; purse: Instruments; reviewer: Reviewer },
): Load {
  const payments: Payment[] = []
  const unanswered: Sent[] = []
  let finished = false
  let up = Promise.withResolvers<void>()
  let isUp = false

  const remember = (sent: Sent) => {
    const payment = paymentOf(sent)
    if (!payment) return
    payments.push(payment)
    if (payments.length > REMEMBERED) payments.shift()
  }
  const next = (chance: Chance): Sent =>
    payments.length > 0 && chance.odds(0.55)
      ? followUp(chance, chance.pick(payments))
      : creation(chance, purse)

  const work = async (chance: Chance) => {
    for (;;) {
      await up.promise
      if (finished) return
      if (unanswered.length >= MOST_UNANSWERED) {
        await wait(PAUSE_MS)
        continue
      }
      const sent = next(chance)
      if (await client.send(sent)) {
        const reviewed = reviewer.look(chance, sent)
        await buy(chance, sent)
        await reviewed
        remember(sent)
      } else {
        if (sent.key) unanswered.push(sent)
        // a service that is away and says so at once is not asked thousands of times
        await wait(REFUSED_PAUSE_MS)
      }
    }
  }
  const insist = async () => {
    for (;;) {
      await up.promise
      const sent = unanswered.shift()
      if (sent && (await client.send(sent))) remember(sent)
      else if (sent) unanswered.push(sent)
      else if (finished && client.inFlight.size === 0) return
      // a refused connection, or nothing to do, must not spin
      await wait(PAUSE_MS)
    }
  }
  const working = Array.from({ length: workers }, (_, index) => [
    work(seeded(seed, index + 1)),
    insist(),
  ]).flat()

  return {
    resume() {
      isUp = true
      up.resolve()
    },
    pause() {
      // a request that waits already waits for the same promise
      if (isUp) up = Promise.withResolvers()
      isUp = false
    },
    async finish(withinMs) {
      finished = true
      const answered = Promise.all(working).then(() => true)
      const impatience = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => impatience.resolve(false), withinMs)
      return Promise.race([answered, impatience.promise]).finally(() => clearTimeout(timer))
    },
  }
}
