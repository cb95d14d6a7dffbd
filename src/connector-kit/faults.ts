import type { HttpAnswer, HttpRequest } from '../connectors/wire/http-message.ts'

/** What happens to one request, and to its answer. */
export interface Fault {
  /** How often the provider gets the request now. */
  delivered: 0 | 1 | 2
  /**
   * The request is still on its way: the provider gets it after recovery has looked once. Of several, it gets
   * one after each look-up.
   */
  isLate?: true
  /** What the connector gets in place of the provider's answer. */
  answer?: HttpAnswer
}

const answered = (status: number, body: Record<string, unknown> = {}): HttpAnswer => ({
  lost: false,
  status,
  headers: {},
  body,
})
const lost = (reason: string, sent = true): HttpAnswer => ({ lost: true, sent, reason })

/** Every fault that the suite strikes a request with, by the name that a check's name has. */
export const faults = {
  'the connection is refused': { delivered: 0, answer: lost('ECONNREFUSED', false) },
  'the request is lost': { delivered: 0, answer: lost('ECONNRESET') },
  'the answer is lost': { delivered: 1, answer: lost('no answer in time') },
  'the request arrives late': { delivered: 0, isLate: true, answer: lost('no answer in time') },
  'the request is delivered twice': { delivered: 2 },
  'a proxy answers 200 before the effect': { delivered: 0, answer: answered(200) },
  '503 before the effect': { delivered: 0, answer: answered(503) },
  '500 after the effect': { delivered: 1, answer: answered(500) },
  'the answer is not JSON': { delivered: 1, answer: lost('the answer is not JSON') },
  'the answer is an empty object': { delivered: 1, answer: answered(200) },
  'the answer has another shape': {
    delivered: 1,
    answer: answered(201, { id: 7, status: ['?'], amount: '1', data: null }),
  },
  '409 after the effect': { delivered: 1, answer: answered(409) },
  '429 before the effect': { delivered: 0, answer: answered(429) },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

export const faultNames = Object.keys(faults).filter((name): name is FaultName => name in faults)

/** The answer of a faulty exchange; `deliver` has the provider process the request. */
export function exchangeWithFault(
  { delivered, answer }: Fault,
  request: HttpRequest,
  deliver: (request: HttpRequest) => HttpAnswer,
): HttpAnswer {
  let last = lost('the provider did not get the request')
  for (let time = 0; time < delivered; time += 1) last = deliver(request)
  return answer ?? last
}
