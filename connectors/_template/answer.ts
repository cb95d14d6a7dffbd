import type { BookFinding, Call, HttpAnswer, Outcome, References, ResponseDetails } from 'railyard/connector'
import { refusalOf } from './declines.ts'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Refusals before Acme has read the request: it kept nothing under the key. */
const unprocessed = { 401: 'invalid_service_credentials', 429: 'service_rate_limit' } as const

/**
 * The outcome in Acme's answer. All that is not a clear answer about this operation is unknown: a lost answer,
 * a 5xx, a conflict over the key, a body that cannot be read.
 */
export function readAnswer(call: Call, answer: HttpAnswer): Outcome {
  if (answer.lost)
    return answer.sent
      ? { status: 'unknown', reason: answer.reason }
      : {
          status: 'failed',
          code: 'service_network_error',
          facts: { raw_response_code: answer.reason },
          references: {},
          unprocessed: true,
        }
  const { status, body } = answer
  if (status === 401 || status === 429)
    return {
      status: 'failed',
      code: unprocessed[status],
      facts: { raw_response_code: text(body['code']) },
      references: {},
      unprocessed: true,
    }
  if (status === 201) return readOperation(call, body)
  const code = text(body['code'])
  if (status === 422 && code !== null) return refused(code, {})
  return { status: 'unknown', reason: `HTTP ${status}` }
}

/** The outcome of an operation, as Acme answers it at once and shows it later. */
export function readOperation({ operation }: Call, body: Record<string, unknown>): Outcome {
  const { reference, status, amount, currency } = body
  if (reference !== operation.id) return { status: 'unknown', reason: 'the answer is about another request' }
  const facts: ResponseDetails = {
    raw_response_code: text(body['code']),
    scheme_transaction_id: text(body['scheme_id']),
  }
  const references = referencesIn(body)
  if (status === 'succeeded' && typeof amount === 'number' && currency === operation.currency)
    return { status: 'approved', amount, facts, references }
  if (status === 'refused') return refused(text(body['code']) ?? '', references)
  const url = text(body['challenge_url'])
  if (status === 'challenge' && url !== null)
    return { status: 'pending', facts, references, approval: { url, sessionData: null } }
  return { status: 'unknown', reason: 'the answer cannot be read' }
}

function refused(rawCode: string, references: References): Outcome {
  const { status, code } = refusalOf(rawCode)
  const said = { code, facts: { raw_response_code: rawCode }, references }
  return status === 'declined' ? { status, ...said } : { status, ...said }
}

function referencesIn({ id, payment }: Record<string, unknown>): References {
  return {
    ...(typeof id === 'string' && { operation: id }),
    ...(typeof payment === 'string' && { transaction: payment }),
  }
}

/**
 * What Acme's books say of the operation. A closed reference is never processed. A 404 is absence where the
 * operation can be sent again, because Acme processes a key once.
 */
export function readFinding(call: Call, answer: HttpAnswer): BookFinding {
  if (answer.lost) return { status: 'unsure' }
  if (answer.status === 404 && answer.body['code'] === 'not_found') return { status: 'absent' }
  if (answer.status !== 200) return { status: 'unsure' }
  const { reference, status } = answer.body
  if (reference === call.operation.id && status === 'closed') return { status: 'absent' }
  const outcome = readOperation(call, answer.body)
  return outcome.status === 'unknown' ? { status: 'unsure' } : { status: 'found', outcome }
}
