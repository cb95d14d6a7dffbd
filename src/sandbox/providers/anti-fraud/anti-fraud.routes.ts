import { type Static, Type } from 'typebox'
import { Nullable } from '../../../api/schema.ts'
import { Compile } from '../../../base/compile.ts'
import { record } from '../../core/books.ts'
import { documentStore } from '../../core/documents.ts'
import { firstError } from '../../core/first-error.ts'
import {
  type Answer,
  badRequest,
  type Call,
  type Incoming,
  json,
  notFound,
  problem,
} from '../../core/provider-messages.ts'
import { apiKeyCalls } from '../../core/provider-request.ts'
import { type Provider, runAfter, type Sandbox, timestamp } from '../../sandbox.ts'
import { type Decision, decideByEmail } from './decision.ts'

/** Longer than any caller waits. */
const TIMEOUT_MS = 120_000

/**
 * The sandbox's anti-fraud service: `/anti-fraud/{anti_fraud_service_id}/checks` (semantics §6.3). Reviews
 * are decided by signed messages to the webhook URL (`review.ts`).
 */
export const antiFraudProvider: Provider = { receive }

/** The members of a payment that the service reads; it stores the others as they came. */
const Check = Type.Object({
  transaction_id: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  buyer: Nullable(Type.Object({ email: Nullable(Type.String()) })),
})
const checkBody = Compile(Check)

/** A stored check. `asked`: the payment as the request had it. */
interface StoredCheck {
  service: string
  result: {
    id: string
    key: string
    transaction_id: string
    decision: Decision
    reason: string | null
    checked_at: string
  }
  asked: Static<typeof Check>
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const [, service, resource, key, ...rest] = incoming.path
  if (!service || resource !== 'checks' || rest.length > 0) return null
  const request = { sandbox, service, incoming }
  if (incoming.method === 'GET' && key)
    return apiKeyCalls.authenticatedCall(request, 'find', key, () => showCheck(sandbox, service, key))
  if (incoming.method !== 'POST' || key) return null
  return apiKeyCalls.idempotentCall(request, 'screening', (screening) =>
    check(sandbox, service, screening, incoming.body),
  )
}

const checks = documentStore<StoredCheck>('anti-fraud-check')

function check(sandbox: Sandbox, service: string, key: string, body: unknown): Answer | Promise<Answer> {
  if (!checkBody.Check(body)) return badRequest(firstError(checkBody, body))
  const earlier = checks.find(sandbox, key)
  if (earlier)
    return earlier.service === service
      ? json(200, earlier.result)
      : problem(409, 'key_reused', 'this key belongs to another service')
  const decision = decideByEmail(body.buyer?.email ?? null)
  if (decision === 'unavailable') return problem(503, 'service_unavailable', 'try again later')
  if (decision === 'timeout') return timeoutAnswer(sandbox)
  const result = {
    id: `chk_${sandbox.ids.next()}`,
    key,
    transaction_id: body.transaction_id,
    decision,
    reason:
      decision === 'skipped'
        ? 'there is no e-mail address to go by'
        : decision === 'error'
          ? 'the check failed'
          : null,
    checked_at: timestamp(sandbox),
  }
  record(sandbox.books, { entry: 'attempt', key })
  checks.store(sandbox, key, { service, result, asked: body })
  return json(201, result)
}

function timeoutAnswer(sandbox: Sandbox): Promise<Answer> {
  return new Promise((resolve) =>
    runAfter(sandbox, TIMEOUT_MS, () => resolve(problem(504, 'gateway_timeout', 'no answer in time'))),
  )
}

function showCheck(sandbox: Sandbox, service: string, key: string): Answer {
  const stored = checks.find(sandbox, key)
  return stored?.service === service ? json(200, { ...stored.result, asked: stored.asked }) : notFound
}
