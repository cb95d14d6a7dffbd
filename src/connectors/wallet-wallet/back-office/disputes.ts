import type { ServiceCall } from '../../contract/call.ts'
import type { DisputeAnswer, EvidenceSubmission } from '../../contract/connector.ts'
import type { HttpAnswer, Part } from '../../wire/http-message.ts'
import { issueOf } from '../answer.schema.ts'
import type { WalletRequest, Wire } from '../wire.ts'
import { isSellersTurn, readStanding, type Standing } from './dispute-notice.ts'

/** What evidence can be about, in PayPal's own names: those of its evidence types that a seller submits. */
const subjects: ReadonlySet<string> = new Set([
  'PROOF_OF_FULFILLMENT',
  'PROOF_OF_REFUND',
  'PROOF_OF_DELIVERY_SIGNATURE',
  'PROOF_OF_RECEIPT_COPY',
  'RETURN_POLICY',
  'BILLING_AGREEMENT',
  'PROOF_OF_RESHIPMENT',
  'ITEM_DESCRIPTION',
  'PROOF_OF_REFUND_OUTSIDE_PAYPAL',
  'PROOF_OF_SHIPMENT_POSTAGE',
  'PROOF_FOR_SOFTWARE_OR_SERVICE_DELIVERED',
  'MERCHANT_RESPONSE',
  'ORDER_DETAILS',
  'OTHER',
])

/** The longest note of an evidence. */
const MAX_NOTES = 2000

/** Submits all evidence at once: the provider then waits for no more. */
export async function submitEvidence(
  wire: Wire,
  call: ServiceCall,
  { key, dispute, text, files }: EvidenceSubmission,
): Promise<DisputeAnswer> {
  const types = [...new Set([...Object.keys(text), ...files.map(({ subject }) => subject)])]
  const unknown = types.filter((type) => !subjects.has(type))
  if (unknown.length > 0) return { status: 'refused', reason: `PayPal takes no ${unknown.join(', ')}` }
  const long = Object.keys(text).filter((type) => (text[type] ?? '').length > MAX_NOTES)
  if (long.length > 0)
    return { status: 'refused', reason: `${long.join(', ')} must have at most ${MAX_NOTES} characters` }
  const evidences = types.map((type) => ({
    evidence_type: type,
    ...(text[type] && { notes: text[type] }),
    ...documentsOf(files, type),
  }))
  const input = JSON.stringify({ evidences })
  const parts: Part[] = [
    { name: 'input', content: input, file: { name: 'input.json', type: 'application/json' } },
    ...files.map(({ name, type, content }) => ({ name: 'evidence-file', content, file: { name, type } })),
  ]
  const path = `${disputePath(dispute)}/provide-evidence`
  const hasNotes = (read: Standing) =>
    types.every((type) =>
      read.evidences?.some(
        ({ source, evidence_type, notes }) =>
          source === 'SUBMITTED_BY_SELLER' && evidence_type === type && notes === text[type],
      ),
    )
  return answerDispute(wire, call, dispute, { method: 'POST', path, parts, key }, hasNotes)
}

/** The files of one subject, by the name that their part has. */
function documentsOf(files: EvidenceSubmission['files'], type: string) {
  const named = files.filter(({ subject }) => subject === type).map(({ name }) => ({ name }))
  return named.length > 0 ? { documents: named } : {}
}

/** Gives up: the provider refunds the buyer in full, and the dispute is resolved in their favour. */
export const acceptDispute = (
  wire: Wire,
  call: ServiceCall,
  { key, id }: { key: string; id: string },
): Promise<DisputeAnswer> =>
  answerDispute(
    wire,
    call,
    id,
    {
      method: 'POST',
      path: `${disputePath(id)}/accept-claim`,
      body: { note: 'The merchant accepts the claim.', accept_claim_type: 'REFUND' },
      key,
    },
    ({ status, dispute_outcome: outcome }) =>
      status === 'RESOLVED' && buyersFavour.has(outcome?.outcome_code ?? ''),
  )

const buyersFavour = new Set(['ACCEPTED', 'RESOLVED_BUYER_FAVOUR'])

const disputePath = (id: string) => `/v1/customer/disputes/${encodeURIComponent(id)}`

/**
 * Sends an answer to a dispute. The provider documents no idempotency key here: it refuses an answer that it has
 * taken already. So after a refusal the dispute is read, and `isTaken` tells whether it has our answer.
 */
async function answerDispute(
  wire: Wire,
  call: ServiceCall,
  dispute: string,
  request: WalletRequest,
  isTaken: (read: Standing) => boolean,
): Promise<DisputeAnswer> {
  const reply = await wire.send(call, request)
  if (reply.refused) return { status: 'unknown', reason: reply.refused.reason }
  const problem = problemOf(reply.answer)
  if (problem?.status !== 'refused') return problem ?? { status: 'done' }
  const books = await wire.send(call, { method: 'GET', path: disputePath(dispute) })
  if (books.refused || books.answer.lost)
    return { status: 'unknown', reason: 'it was refused, and the dispute cannot be read' }
  const read = books.answer.status === 200 ? readStanding(books.answer.body) : undefined
  if (!read || isSellersTurn(read)) return problem
  return isTaken(read)
    ? { status: 'done' }
    : { status: 'refused', reason: `${problem.reason} (the dispute is ${read.status})` }
}

/** Why it was not done, or may not have been; undefined: it was done. */
export function problemOf(answer: HttpAnswer): Exclude<DisputeAnswer, { status: 'done' }> | undefined {
  if (answer.lost) return { status: 'unknown', reason: answer.reason }
  const { status, body } = answer
  if (status >= 200 && status < 300) return undefined
  const { issue, description } = issueOf(body)
  const isRefused = status >= 400 && status < 500 && status !== 409 && status !== 429
  return isRefused
    ? { status: 'refused', reason: description ?? issue ?? `HTTP ${status}` }
    : { status: 'unknown', reason: `HTTP ${status} ${issue ?? ''}`.trimEnd() }
}
