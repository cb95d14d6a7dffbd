import type { HttpAnswer, HttpRequest } from '../../src/connectors/http-message.ts'
import type { TestRailyard } from '../support/railyard.ts'
import type { Contract } from './contract.ts'

export interface CheckedWire {
  /** Everything in which what we sent, or what came back, breaks the provider's contract. */
  violations: string[]
  calls: number
}

interface WireOptions {
  /** First segments of paths that are the simulator's own and in no contract. */
  ours?: string[]
  /** Answers are struck by faults, and are not the provider's: only requests are checked. */
  faults?: boolean
}

/**
 * Holds both sides to the contracts from now on: each request of the instance to `…{base}{payment service}/…`, and its answer. `base` is the
 * provider's first segment, e.g. `/wallet/`.
 */
export function checkWire(railyard: TestRailyard, base: string, contracts: Contract[], { ours = [], faults = false }: WireOptions = {}): CheckedWire {
  const wire: CheckedWire = { violations: [], calls: 0 }
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    const answer = await send(request)
    const asked = within(request, base)
    if (!asked || ours.includes(asked.path.split('/')[1] ?? '')) return answer
    wire.calls += 1
    const known = contracts.find((contract) => contract.knows(asked.method, asked.path))
    const violations = known
      ? [...known.request(asked), ...(faults ? [] : answerViolations(known, asked, answer))]
      : ['no contract has this operation']
    wire.violations.push(...violations.map((violation) => `${asked.method} ${asked.path}: ${violation}`))
    return answer
  }
  return wire
}

/** The request as the provider sees it: what follows the payment service's id. Undefined: it goes elsewhere. */
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

function answerViolations(contract: Contract, { method, path }: { method: string; path: string }, answer: HttpAnswer): string[] {
  if (answer.lost) return []
  const { status, headers, body } = answer
  return contract.response({ method, path, status, headers, body })
}
