import type { FakeProvider } from '../../../src/connector-kit/fake-provider.ts'
import { toHttpAnswer } from '../../../src/connector-kit/harness.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'

/** What may happen to a request: it is lost before or after it arrives, or its answer is another one. */
export type Fault = 'unsent' | 'lost before' | 'lost after' | HttpAnswer

export interface FaultyHttp {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  /** Strikes the requests to come, one each; `undefined`: no fault. */
  faults: (Fault | undefined)[]
  /** Requests that were lost before they arrived: they may arrive later. */
  late: HttpRequest[]
}

/**
 * The way to a fake provider. `answersInstead`: an answer among the faults comes from before the provider,
 * which does not get the request; absent: it takes the place of the provider's own answer.
 */
export function faultyHttp(fake: FakeProvider, { answersInstead = false } = {}): FaultyHttp {
  const faults: FaultyHttp['faults'] = []
  const late: HttpRequest[] = []
  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const fault = faults.shift()
    if (fault === 'unsent') return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    if (fault === 'lost before') {
      late.push(request)
      return { lost: true, sent: true, reason: 'no answer in time' }
    }
    if (typeof fault === 'object' && answersInstead) return fault
    const answer = toHttpAnswer(fake.receive(request), request)
    return fault === 'lost after'
      ? { lost: true, sent: true, reason: 'the connection broke' }
      : (fault ?? answer)
  }
  return { http, faults, late }
}
