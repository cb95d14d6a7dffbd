import type { HttpAnswer, HttpRequest } from '../../src/connectors/wire/http-message.ts'
import type { World } from '../../src/world.ts'
import type { TestClock } from '../support/railyard.ts'

/** The network's faults. Time-outs take virtual time only. */
export const networkFaults = [
  'connect refused',
  'connect timeout',
  'timeout before',
  'timeout after',
  'slow loris',
  'late twin',
  'unauthorized',
] as const
export type NetworkFault = (typeof networkFaults)[number]

export interface Network {
  /** Applies this fault to the next requests to payment services, after letting some through. */
  strike(fault: NetworkFault, times: number, after: number): void
  mend(): void
  /** Delivers the requests whose sender has given up. Returns their number. */
  deliverLate(): Promise<number>
  /** The faults applied since the last call. */
  takeStruck(): NetworkFault[]
}

const CONNECT_TIMEOUT_MS = 3_000

/** Puts a faulty network between a world and its payment services. */
export function installNetwork(world: World, clock: TestClock): Network {
  const { http } = world
  const late: HttpRequest[] = []
  let injected: NetworkFault[] = []
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
    // refused for its credentials, before anything is processed
    unauthorized: () => ({ lost: false, status: 401, headers: {}, body: {} }),
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
      injected.push(fault)
      return effects[fault](asked)
    },
  }
  return {
    takeStruck() {
      const taken = injected
      injected = []
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
