import type { HttpAnswer, HttpRequest } from '../../src/connectors/wire/http-message.ts'
import type { TestRailyard } from '../support/railyard.ts'
import type { Contract } from './contract.ts'

export interface CheckedWire {
  /** Violations of the provider's contract in our requests and its answers. */
  violations: string[]
  calls: number
}

interface WireOptions {
  /** First path segments of the simulator's own resources, which no contract has. */
  ours?: string[]
  /** Faults change the answers, so only requests are checked. */
  faults?: boolean
}

/**
 * Checks every request of the instance to `…{base}{payment service}/…` and its answer against the contracts
 * from now on. `base` is the provider's first path segment, e.g. `/wallet/`.
 */
export function checkWire(
  railyard: TestRailyard,
  base: string,
  contracts: Contract[],
  { ours = [], faults = false }: WireOptions = {},
): CheckedWire {
  const wire: CheckedWire = { violations: [], calls: 0 }
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    const answer = await send(request)
    const sent = within(request, base)
    if (!sent || ours.includes(sent.path.split('/')[1] ?? '')) return answer
    wire.calls += 1
    const known = contracts.find((contract) => contract.knows(sent.method, sent.path))
    const violations = known
      ? [...known.request(sent), ...(faults ? [] : answerViolations(known, sent, answer))]
      : ['no contract has this operation']
    wire.violations.push(...violations.map((violation) => `${sent.method} ${sent.path}: ${violation}`))
    return answer
  }
  return wire
}

/**
 * The request as the provider sees it: the path after the payment service's id. Undefined: it goes elsewhere.
 */
function within({ method, url, headers = {}, body, form }: HttpRequest, base: string) {
  const { pathname, searchParams } = new URL(url)
  if (!pathname.startsWith(base)) return undefined
  const path = pathname.slice(pathname.indexOf('/', base.length))
  const sent = form ? new URLSearchParams(form).toString() : body
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    method,
    path,
    query: Object.fromEntries(searchParams),
    headers: { ...(sent !== undefined && { 'content-type': type }), ...headers },
    ...(sent !== undefined && { body: sent }),
  }
}

function answerViolations(
  contract: Contract,
  { method, path }: { method: string; path: string },
  answer: HttpAnswer,
): string[] {
  if (answer.lost) return []
  const { status, headers, body } = answer
  return contract.response({ method, path, status, headers, body })
}
