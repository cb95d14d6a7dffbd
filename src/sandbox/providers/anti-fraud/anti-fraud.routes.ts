import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Nullable } from '../../../api/schema.ts'
import { record } from '../../core/books.ts'
import { firstError } from '../../core/first-error.ts'
import { type Answer, badRequest, type Call, type Incoming, json, notFound, problem } from '../../core/provider-messages.ts'
import { type Provider, runAfter, type Sandbox, timestamp } from '../../sandbox.ts'
import { type Decision, decideByEmail } from './decision.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Longer than anybody waits. */
const TIMEOUT_MS = 120_000

/** The sandbox's anti-fraud service: `/anti-fraud/{anti_fraud_service_id}/checks` (semantics §6.3). Reviews are decided by messages to the webhook URL that are signed (`review.ts`). */
export const antiFraudProvider: Provider = { receive, notification: () => ({ body: '{}' }) }

/** What is read of a payment; the rest is kept as it came. */
const Check = Type.Object({
  transaction_id: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  buyer: Nullable(Type.Object({ email: Nullable(Type.String()) })),
})
const checkBody = Compile(Check)

/** A check as the service keeps it. `asked`: what it was told of the payment. */
interface StoredCheck {
  service: string
  result: { id: string; key: string; transaction_id: string; decision: Decision; reason: string | null; checked_at: string }
  asked: Static<typeof Check>
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const [, service, resource, key, ...rest] = incoming.path
  if (!service || resource !== 'checks' || rest.length > 0) return null
  const call = (operation: Call['operation'], about: string | null, process: () => Answer | Promise<Answer>): Call => ({
    payment_service_id: service,
    operation,
    key: about,
    process: () => (incoming.headers['x-api-key'] ? process() : problem(401, 'invalid_service_credentials', 'the header x-api-key is missing')),
  })
  if (incoming.method === 'GET' && key) return call('find', key, () => showCheck(sandbox, service, key))
  if (incoming.method !== 'POST' || key) return null
  const given = incoming.headers['idempotency-key']
  const asked = typeof given === 'string' && uuid.test(given) ? given : null
  return call('screening', asked, () =>
    asked === null ? badRequest('the header idempotency-key must be a UUID') : check(sandbox, service, asked, incoming.body),
  )
}

const documentId = (key: string) => `anti-fraud-check/${key}`

/** The books hold what was put there under this name only by `check`. */
const storedCheck = ({ books }: Sandbox, key: string) => books.documents.get(documentId(key)) as StoredCheck | undefined

function check(sandbox: Sandbox, service: string, key: string, body: unknown): Answer | Promise<Answer> {
  if (!checkBody.Check(body)) return badRequest(firstError(checkBody, body))
  const earlier = storedCheck(sandbox, key)
  if (earlier) return earlier.service === service ? json(200, earlier.result) : problem(409, 'key_reused', 'this key belongs to another service')
  const decision = decideByEmail(body.buyer?.email ?? null)
  if (decision === 'unavailable') return problem(503, 'service_unavailable', 'try again later')
  if (decision === 'timeout') return timeoutAnswer(sandbox)
  const result = {
    id: `chk_${sandbox.ids.next()}`,
    key,
    transaction_id: body.transaction_id,
    decision,
    reason: decision === 'skipped' ? 'there is no e-mail address to go by' : decision === 'error' ? 'the check failed' : null,
    checked_at: timestamp(sandbox),
  }
  record(sandbox.books, { entry: 'attempt', key })
  record(sandbox.books, { entry: 'document', id: documentId(key), document: { service, result, asked: body } satisfies StoredCheck })
  return json(201, result)
}

function timeoutAnswer(sandbox: Sandbox): Promise<Answer> {
  return new Promise((resolve) => runAfter(sandbox, TIMEOUT_MS, () => resolve(problem(504, 'gateway_timeout', 'no answer in time'))))
}

function showCheck(sandbox: Sandbox, service: string, key: string): Answer {
  const kept = storedCheck(sandbox, key)
  return kept?.service === service ? json(200, { ...kept.result, asked: kept.asked }) : notFound
}
