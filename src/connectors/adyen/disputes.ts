import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { DisputeAnswer, EvidenceSubmission } from '../contract/connector.ts'
import { type BackOfficeAnswer, readBackOfficeAnswer } from '../wire/back-office-answer.ts'
import { Compile } from '../wire/compile.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import type { AdyenOptions } from './environment.ts'
import { merchantAccountOf, send } from './wire.ts'

const Result = Type.Object({ success: Type.Boolean(), errorMessage: Type.Optional(Type.String()) })
const result = Compile(Type.Object({ disputeServiceResult: Result }))
const reasons = Compile(
  Type.Object({
    disputeServiceResult: Result,
    defenseReasons: Type.Optional(
      Type.Array(
        Type.Object({
          defenseReasonCode: Type.String(),
          defenseDocumentTypes: Type.Optional(
            Type.Array(
              Type.Object({ defenseDocumentTypeCode: Type.String(), requirementLevel: Type.String() }),
            ),
          ),
        }),
      ),
    ),
  }),
)

async function ask(
  options: AdyenOptions,
  call: ServiceCall,
  {
    path,
    dispute,
    idempotencyKey,
    ...more
  }: {
    path: string
    dispute: string
    idempotencyKey?: string
    [member: string]: unknown
  },
): Promise<BackOfficeAnswer> {
  const answer = await send(options, call, {
    api: 'disputes',
    path,
    body: { merchantAccountCode: merchantAccountOf(call), disputePspReference: dispute, ...more },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  // an earlier request under the same key is still in progress
  if (answer && !answer.lost && answer.body['errorCode'] === '704')
    return { ended: { status: 'unknown', reason: 'the same request is in progress' } }
  const read = readBackOfficeAnswer(answer, ({ message }) => nonEmptyText(message))
  if ('ended' in read) return read
  const { body } = read
  if (!result.Check(body)) return { ended: { status: 'unknown', reason: 'the answer cannot be read' } }
  const { success, errorMessage } = body.disputeServiceResult
  return success ? { body } : { ended: { status: 'refused', reason: errorMessage ?? 'refused' } }
}

/** The content types that the provider takes, with the largest size of each. */
const sizes: Readonly<Record<string, number>> = {
  'application/pdf': 2 * 1024 * 1024,
  'image/jpeg': 10 * 1024 * 1024,
  'image/jpg': 10 * 1024 * 1024,
  'image/tiff': 10 * 1024 * 1024,
}

/** Why the provider would not take this evidence; undefined: it may. */
function problemOf({ files, text }: EvidenceSubmission): string | undefined {
  if (files.length === 0) return 'this payment service takes documents only'
  const other = Object.keys(text).find((subject) => subject !== 'defense_reason')
  if (other !== undefined) return `this payment service takes no text about ${other}: attach a document`
  for (const { name, type, content } of files) {
    const limit = sizes[type]
    if (limit === undefined) return `${name}: PDF, JPEG and TIFF only`
    if (content.length > limit) return `${name}: more than ${limit / 1024 / 1024} MB`
  }
  return undefined
}

/**
 * Defends a dispute with documents. A file's `subject` is the provider's type of document. The reason of the
 * defence is the text `defense_reason`, or the first reason that needs no document which is missing.
 */
export async function submitEvidence(
  options: AdyenOptions,
  call: ServiceCall,
  submission: EvidenceSubmission,
): Promise<DisputeAnswer> {
  const problem = problemOf(submission)
  if (problem !== undefined) return { status: 'refused', reason: problem }
  const { dispute, key, files, text } = submission
  const applicable = await ask(options, call, { path: '/retrieveApplicableDefenseReasons', dispute })
  if ('ended' in applicable) return applicable.ended
  const reason = defenseReason(applicable.body, files, text['defense_reason'])
  if (reason === undefined) return { status: 'refused', reason: 'no reason of defence fits these documents' }
  const supplied = await ask(options, call, {
    path: '/supplyDefenseDocument',
    dispute,
    idempotencyKey: `${key}-documents`,
    defenseDocuments: files.map(({ subject, type, content }) => ({
      defenseDocumentTypeCode: subject,
      contentType: type,
      content: content.toString('base64'),
    })),
  })
  if ('ended' in supplied) return supplied.ended
  const defended = await ask(options, call, {
    path: '/defendDispute',
    dispute,
    idempotencyKey: `${key}-defend`,
    defenseReasonCode: reason,
  })
  return 'ended' in defended ? defended.ended : { status: 'done' }
}

function defenseReason(
  body: Record<string, unknown>,
  files: EvidenceSubmission['files'],
  asked: string | undefined,
): string | undefined {
  if (!reasons.Check(body)) return undefined
  const subjects = new Set(files.map(({ subject }) => subject))
  const fits = body.defenseReasons?.filter(({ defenseDocumentTypes: types = [] }) =>
    types.every(
      ({ requirementLevel, defenseDocumentTypeCode: type }) =>
        requirementLevel !== 'Required' || subjects.has(type),
    ),
  )
  if (asked !== undefined)
    return body.defenseReasons?.find(({ defenseReasonCode: code }) => code === asked)?.defenseReasonCode
  return fits?.[0]?.defenseReasonCode
}

/** Gives the money up. */
export async function acceptDispute(
  options: AdyenOptions,
  call: ServiceCall,
  { key, id }: { key: string; id: string },
): Promise<DisputeAnswer> {
  const accepted = await ask(options, call, { path: '/acceptDispute', dispute: id, idempotencyKey: key })
  return 'ended' in accepted ? accepted.ended : { status: 'done' }
}
