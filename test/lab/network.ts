import type { HttpAnswer, HttpRequest } from '../../src/connectors/http-message.ts'
import type { World } from '../../src/world.ts'
import type { TestClock } from '../support/railyard.ts'

/** What a network does to a request. Time-outs take their time of the clock, and none of ours. */
export const networkFaults = ['connect refused', 'connect timeout', 'timeout before', 'timeout after', 'slow loris', 'late twin'] as const
export type NetworkFault = (typeof networkFaults)[number]

export interface Network {
  /** Does this to the next requests to payment services, so many of them; after letting some through. */
  strike(fault: NetworkFault, times: number, after: number): void
  mend(): void
  /** Requests whose sender has long given up arrive after all. Answers how many. */
  deliverLate(): Promise<number>
  /** What has struck since this was last asked. */
  takeStruck(): NetworkFault[]
}

const CONNECT_TIMEOUT_MS = 3_000

/** Puts a network between a world and its payment services. */
export function installNetwork(world: World, clock: TestClock): Network {
  const { http } = world
  const late: HttpRequest[] = []
  let struck: NetworkFault[] = []
  let now: { fault: NetworkFault; times: number; after: number } | undefined
  const lost = (reason: string, sent = true): HttpAnswer => ({ lost: true, sent, reason })
  const timedOut = (ms: number, sent = true) => {
    clock.advance(ms)
    return lost('no answer in time', sent)
  }
  const effects: Record<NetworkFault, (request: HttpRequest) => Promise<HttpAnswer> | HttpAnswer> = {
    'connect refused': () => lost('ECONNREFUSED', false),
    'connect timeout': () => timedOut(CONNECT_TIMEOUT_MS, false),
    'timeout before': () => timedOut(world.settings.providerTimeout),
    async 'timeout after'(request) {
      await http.request(request)
      return timedOut(world.settings.providerTimeout)
    },
    async 'slow loris'(request) {
      await http.request(request)
      return timedOut(world.settings.providerTimeout)
    },
    'late twin'(request) {
      late.push(request)
      return timedOut(world.settings.providerTimeout)
    },
  }
  world.http = {
    ...http,
    async request(asked) {
      if (!now || asked.method === 'GET') return http.request(asked)
      if (now.after > 0) {
        now.after -= 1
        return http.request(asked)
      }
      const { fault } = now
      now.times -= 1
      if (now.times === 0) now = undefined
      struck.push(fault)
      return effects[fault](asked)
    },
  }
  return {
    takeStruck() {
      const taken = struck
      struck = []
      return taken
    },
    strike(fault, times, after) {
      now = { fault, times, after }
    },
    mend() {
      now = undefined
    },
    async deliverLate() {
      const arriving = late.splice(0)
      for (const request of arriving) await http.request(request)
      return arriving.length
    },
  }
}
