import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { DisputeAnswer, EvidenceSubmission } from '../contract/connector.ts'
import type { BackOfficeAnswer } from '../wire/back-office-answer.ts'
import { Compile } from '../wire/compile.ts'
import type { CheckoutOptions } from './environment.ts'
import { sendBackOffice } from './wire.ts'

/** What Checkout.com takes evidence about. `list`: several files, else one. */
const subjects: ReadonlyMap<string, 'one' | 'list'> = new Map([
  ['additional_evidence', 'one'],
  ['arbitration_no_review', 'list'],
  ['arbitration_review_required', 'list'],
  ['customer_communication', 'one'],
  ['invoice_or_receipt', 'one'],
  ['invoice_showing_distinct_transactions', 'one'],
  ['proof_of_delivery_or_service', 'one'],
  ['proof_of_delivery_or_service_date', 'one'],
  ['recurring_transaction_agreement', 'one'],
  ['refund_or_cancellation_policy', 'one'],
])

const fileTypes = new Set(['application/pdf', 'image/jpeg', 'image/png'])
const LARGEST_FILE = 4 * 1024 * 1024

/** Why Checkout.com would not take this evidence; undefined: it may. */
function problemOf({ text, files }: EvidenceSubmission): string | undefined {
  const told = [...Object.keys(text), ...files.map(({ subject }) => subject)]
  if (told.length === 0) return 'there is no evidence'
  const other = told.find((subject) => !subjects.has(subject))
  if (other !== undefined) return `this payment service takes no evidence about ${other}`
  for (const [subject, count] of subjects)
    if (count === 'one' && files.filter((file) => file.subject === subject).length > 1)
      return `this payment service takes one file about ${subject}`
  for (const { name, type, content } of files) {
    if (!fileTypes.has(type)) return `${name}: PDF, JPEG and PNG only`
    if (content.length > LARGEST_FILE) return `${name}: more than 4 MB`
  }
  return undefined
}

const uploaded = Compile(Type.Object({ id: Type.String({ minLength: 1 }) }))

/** Uploads the files; answers the members that name them. */
async function uploadFiles(
  options: CheckoutOptions,
  call: ServiceCall,
  files: EvidenceSubmission['files'],
): Promise<BackOfficeAnswer> {
  const body: Record<string, string | string[]> = {}
  for (const { subject, name, type, content } of files) {
    const parts = [
      { name: 'purpose', content: 'dispute_evidence' },
      { name: 'file', content, file: { name, type } },
    ]
    const sent = await sendBackOffice(options, call, { path: '/files', parts })
    if ('ended' in sent) return sent
    if (!uploaded.Check(sent.body))
      return { ended: { status: 'unknown', reason: 'the answer cannot be read' } }
    const { id } = sent.body
    const list = `${subject}_files`
    if (subjects.get(subject) === 'list') body[list] = [...(body[list] ?? []), id]
    else body[`${subject}_file`] = id
  }
  return { body }
}

const disputePath = (dispute: string, part: string): string =>
  `/disputes/${encodeURIComponent(dispute)}/${part}`

/** Uploads and collects the evidence, and then submits what was collected. All are harmless when repeated. */
export async function submitEvidence(
  options: CheckoutOptions,
  call: ServiceCall,
  submission: EvidenceSubmission,
): Promise<DisputeAnswer> {
  const problem = problemOf(submission)
  if (problem !== undefined) return { status: 'refused', reason: problem }
  const files = await uploadFiles(options, call, submission.files)
  if ('ended' in files) return files.ended
  const path = disputePath(submission.dispute, 'evidence')
  const text = Object.entries(submission.text).map(([subject, value]) => [`${subject}_text`, value])
  const body = { ...Object.fromEntries(text), ...files.body }
  const collected = await sendBackOffice(options, call, { method: 'PUT', path, body })
  if ('ended' in collected) return collected.ended
  const submitted = await sendBackOffice(options, call, { path })
  return 'ended' in submitted ? submitted.ended : { status: 'done' }
}

/** Gives the money up. */
export async function acceptDispute(
  options: CheckoutOptions,
  call: ServiceCall,
  { id }: { key: string; id: string },
): Promise<DisputeAnswer> {
  const accepted = await sendBackOffice(options, call, { path: disputePath(id, 'accept') })
  return 'ended' in accepted ? accepted.ended : { status: 'done' }
}
