import type { ServiceCall } from '../../contract/call.ts'
import type { DisputeAcceptance, DisputeAnswer, EvidenceSubmission } from '../../contract/connector.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import { readError, readId } from '../answer.schema.ts'
import { onAccountOf, type Wire } from '../wire.ts'

/** What evidence can say, in Stripe's names. */
const textSubjects: ReadonlySet<string> = new Set([
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'uncategorized_text',
])

/** What a file can prove. */
const fileSubjects: ReadonlySet<string> = new Set([
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'duplicate_charge_documentation',
  'receipt',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
  'uncategorized_file',
])

/** Uploads the files, then submits all evidence at once: Stripe takes one submission. */
export async function submitEvidence(
  wire: Wire,
  service: ServiceCall,
  { key, dispute, identifiers, text, files }: EvidenceSubmission,
): Promise<DisputeAnswer> {
  const unknown = [
    ...Object.keys(text).filter((subject) => !textSubjects.has(subject)),
    ...files.map(({ subject }) => subject).filter((subject) => !fileSubjects.has(subject)),
  ]
  if (unknown.length > 0) return { status: 'refused', reason: `Stripe takes no ${unknown.join(', ')}` }
  const call = onAccountOf(service, identifiers)
  const proofs: Record<string, string> = {}
  for (const [index, { subject, ...file }] of files.entries()) {
    const answer = await wire.upload(call, file, `${key}-file-${index}`)
    const problem = problemOf(answer)
    if (problem) return problem
    const id = answer.lost ? undefined : readId(answer.body)
    if (id === undefined) return { status: 'unknown', reason: 'the answer has no file' }
    proofs[subject] = id
  }
  const body = { evidence: { ...text, ...proofs }, submit: true }
  return toAnswer(dispute, await wire.post(call, disputePath(dispute), body, key))
}

/** Gives up: Stripe closes the dispute, and it counts as lost. */
export const acceptDispute = async (
  wire: Wire,
  call: ServiceCall,
  { key, id, identifiers }: DisputeAcceptance,
): Promise<DisputeAnswer> =>
  toAnswer(id, await wire.post(onAccountOf(call, identifiers), `${disputePath(id)}/close`, {}, key))

const disputePath = (id: string) => `/v1/disputes/${encodeURIComponent(id)}`

function toAnswer(dispute: string, answer: HttpAnswer): DisputeAnswer {
  const problem = problemOf(answer)
  if (problem) return problem
  return !answer.lost && readId(answer.body) === dispute
    ? { status: 'done' }
    : { status: 'unknown', reason: 'the answer is about another dispute' }
}

/** Why it was not done, or may not have been; undefined: it was done. */
export function problemOf(answer: HttpAnswer): Exclude<DisputeAnswer, { status: 'done' }> | undefined {
  if (answer.lost) return { status: 'unknown', reason: answer.reason }
  if (answer.status >= 200 && answer.status < 300) return undefined
  const error = readError(answer.body)
  const mayBeSentAgain = answer.status >= 500 || answer.status === 409 || answer.status === 429
  return !error || mayBeSentAgain || error.type === 'idempotency_error'
    ? { status: 'unknown', reason: `HTTP ${answer.status}` }
    : { status: 'refused', reason: error.message ?? error.code ?? error.type }
}
