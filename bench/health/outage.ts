import { setTimeout as wait } from 'node:timers/promises'
import type { HttpAnswer } from '../../src/connectors/wire/http-message.ts'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { addService, openShop, type Shop } from '../../test/support/shop.ts'
import { quantile } from '../statistics.ts'

/** The ways in which a payment service fails. */
export type OutageKind = 'refuses connections' | 'drops connections' | 'never answers'

/** A run in which nothing fails, for comparison: regular work falls into the same seconds of it. */
export type NoOutage = 'stays alive'

export interface Observed {
  /** Seconds from the outage to the open circuit. */
  opensAfter: number
  /** Calls for each payment, over both payment services; 1 is the minimum. */
  callsEach: number
  /**
   * Payments that the failed payment service got each minute after its circuit had opened, probes included.
   */
  askedAMinute: number
  /** Milliseconds: another merchant's 99th percentile through a healthy payment service during the outage. */
  othersP99: number
}

const WARM_UP_MS = 10_000
const EVERY_MS = 50
/** A 99th percentile of fewer payments than some 3,000 changes from run to run. */
const OTHERS_EVERY_MS = 16

/**
 * Sends 20 payments a second over two payment services, of which the first fails after ten seconds; and 62 a
 * second of another merchant with a separate payment service. It runs in this process, so that any failure can be
 * simulated.
 */
export async function observeOutage(death: OutageKind | NoOutage, seconds: number): Promise<Observed> {
  const railyard = await startTestRailyard({
    PROVIDER_TIMEOUT_MS: '15000',
    LOG_LEVEL: 'silent',
    // background work as often as in production
    RECOVERY_INTERVAL_MS: '1000',
  })
  try {
    const shop = await openShop(railyard)
    const second = await addService(railyard, shop)
    const answering = new AbortController()
    const calls = callCounter(railyard, [shop.paymentServiceId, second], death, answering.signal)
    const others = steadyLoad(await openShop(railyard), OTHERS_EVERY_MS)
    const load = steadyLoad(shop, EVERY_MS)
    await wait(WARM_UP_MS)
    calls.die()
    const [died, asked, sent] = [performance.now(), calls.made(), load.sent()]
    let openedAt = Number.POSITIVE_INFINITY
    railyard.world.changes.subscribe((topic) => {
      if (topic === 'payment_service_health') openedAt = Math.min(openedAt, performance.now())
    })
    await wait(seconds * 1_000)
    load.stop()
    others.stop()
    const ended = performance.now()
    const secondsOpen = (ended - openedAt) / 1_000
    answering.abort()
    await Promise.all([load.ended(), others.ended()])
    return {
      opensAfter: (openedAt - died) / 1_000,
      callsEach: (calls.made() - asked) / (load.sent() - sent),
      askedAMinute: (calls.deadAfter(openedAt) / secondsOpen) * 60,
      othersP99: others.p99(died, ended),
    }
  } finally {
    await railyard.close()
  }
}

/** A wrapper between the connectors and the network, which counts calls to these services. The first one dies. */
function callCounter(
  { world }: TestRailyard,
  services: string[],
  death: OutageKind | NoOutage,
  end: AbortSignal,
) {
  const [failing = ''] = services
  const request = world.http.request
  let dead = false
  let all = 0
  const askedDead: number[] = []
  world.http.request = async (asked) => {
    if (asked.method !== 'POST' || !asked.url.endsWith('/payments')) return request(asked)
    if (services.some((service) => asked.url.includes(service))) all += 1
    if (!dead || death === 'stays alive' || !asked.url.includes(failing)) return request(asked)
    askedDead.push(performance.now())
    return deaths[death](end)
  }
  return {
    die: () => {
      dead = true
    },
    made: () => all,
    deadAfter: (time: number) => askedDead.filter((at) => at > time).length,
  }
}

const deaths: Record<OutageKind, (end: AbortSignal) => Promise<HttpAnswer>> = {
  'refuses connections': async () => ({ lost: true, sent: false, reason: 'ECONNREFUSED' }),
  'drops connections': async () => ({ lost: true, sent: true, reason: 'UND_ERR_SOCKET' }),
  'never answers': async (end) => {
    await wait(15_000, undefined, { signal: end }).catch(() => undefined)
    return { lost: true, sent: true, reason: 'no answer in time' }
  },
}

/** An open loop: a payment at a fixed rate, whether the one before has been answered or not. */
function steadyLoad(shop: Shop, everyMs: number) {
  const answers: Promise<unknown>[] = []
  const took: { at: number; ms: number }[] = []
  const pay = async () => {
    const at = performance.now()
    await shop.pay(10_00)
    took.push({ at, ms: performance.now() - at })
  }
  const timer = setInterval(() => answers.push(pay()), everyMs)
  return {
    sent: () => answers.length,
    stop: () => clearInterval(timer),
    ended: () => Promise.allSettled(answers),
    /** Milliseconds of the payments that were sent meanwhile. */
    p99(from: number, to: number) {
      const sorted = took.flatMap(({ at, ms }) => (at >= from && at < to ? ms : [])).sort((a, b) => a - b)
      return quantile(sorted, 0.99)
    },
  }
}
