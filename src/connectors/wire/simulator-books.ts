import type { HttpAnswer, HttpRequest } from './http-message.ts'
import { simulatorFinding } from './simulator-answer.ts'
import type { SimulatorRequest } from './simulator-request.ts'

/** What is known of the operation that a simulator's books are asked for. */
type Lookup = Parameters<SimulatorRequest>[0] & {
  operation: { id: string }
  http: (request: HttpRequest) => Promise<HttpAnswer>
}

/** `find` and `close` of a connector whose simulator has an operation under its id. */
export function simulatorBooks<L extends Lookup, Result extends { status: string }>(
  request: SimulatorRequest,
  readResult: (lookup: L, body: Record<string, unknown>) => Result,
) {
  const ask = async (lookup: L, asked: HttpRequest, closes: boolean) =>
    simulatorFinding(await lookup.http(asked), { id: lookup.operation.id, closes }, (body) =>
      readResult(lookup, body),
    )
  return {
    find: (lookup: L) => ask(lookup, request(lookup, 'GET', `/operations/${lookup.operation.id}`), false),
    close: (lookup: L) =>
      ask(lookup, request(lookup, 'POST', `/operations/${lookup.operation.id}/close`, {}), true),
  }
}
