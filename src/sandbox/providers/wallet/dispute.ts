import { type Static, Type } from 'typebox'
import { Compile } from '../../../base/compile.ts'
import { documentStore } from '../../core/documents.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import { walletError } from './errors.ts'

const Evidence = Type.Object({
  evidence_type: Type.String({ minLength: 1 }),
  notes: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
})
const evidenceInput = Compile(Type.Object({ evidences: Type.Array(Evidence, { minItems: 1 }) }))
const claimInput = Compile(
  Type.Object({ note: Type.String({ minLength: 1, maxLength: 2000 }), accept_claim_type: Type.String() }),
)

/** A dispute. The tester decides what becomes of it (`simulate/dispute.ts`); here it is answered. */
interface Dispute {
  status: 'WAITING_FOR_SELLER_RESPONSE' | 'UNDER_REVIEW' | 'RESOLVED'
  outcome: 'ACCEPTED' | null
  evidences: Static<typeof Evidence>[]
  updated_at: string
}

const disputesOf = (service: string) => documentStore<Dispute>(`wallet/dispute/${service}`)

/** A dispute that was not answered yet. */
const findDispute = (sandbox: Sandbox, service: string, id: string): Dispute =>
  disputesOf(service).find(sandbox, id) ?? {
    status: 'WAITING_FOR_SELLER_RESPONSE',
    outcome: null,
    evidences: [],
    updated_at: timestamp(sandbox),
  }

/** GET /v1/customer/disputes/{id}. */
export function readDispute(sandbox: Sandbox, service: string, id: string): Answer {
  const { status, outcome, evidences, updated_at } = findDispute(sandbox, service, id)
  return json(200, {
    dispute_id: id,
    status,
    update_time: updated_at,
    dispute_life_cycle_stage: 'CHARGEBACK',
    ...(outcome && { dispute_outcome: { outcome_code: outcome } }),
    ...(evidences.length > 0 && {
      evidences: evidences.map((each) => ({ ...each, source: 'SUBMITTED_BY_SELLER' })),
    }),
  })
}

/** POST /v1/customer/disputes/{id}/provide-evidence, with the evidence in the part `input`. */
export function provideEvidence(sandbox: Sandbox, service: string, id: string, body: unknown): Answer {
  const input = inputOf(body)
  if (!evidenceInput.Check(input)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const { evidences } = input
  return answerDispute(sandbox, service, id, { status: 'UNDER_REVIEW', outcome: null, evidences })
}

/** POST /v1/customer/disputes/{id}/accept-claim. */
export const acceptClaim = (sandbox: Sandbox, service: string, id: string, body: unknown): Answer =>
  claimInput.Check(body)
    ? answerDispute(sandbox, service, id, { status: 'RESOLVED', outcome: 'ACCEPTED', evidences: [] })
    : walletError(400, 'INVALID_PARAMETER_SYNTAX')

/** A dispute is answered once. Like the provider it knows no idempotency keys here. */
function answerDispute(
  sandbox: Sandbox,
  service: string,
  id: string,
  answered: Omit<Dispute, 'updated_at'>,
): Answer {
  const { status } = findDispute(sandbox, service, id)
  const isOpen = status === 'WAITING_FOR_SELLER_RESPONSE' || answered.status === 'RESOLVED'
  if (status === 'RESOLVED' || !isOpen) return walletError(400, 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE')
  disputesOf(service).store(sandbox, id, { ...answered, updated_at: timestamp(sandbox) })
  return json(200, { links: [{ href: `/v1/customer/disputes/${id}`, rel: 'self', method: 'GET' }] })
}

/** The JSON in the part `input` of a multipart body. */
function inputOf(body: unknown): unknown {
  const text = typeof body === 'object' && body !== null && 'multipart' in body ? body.multipart : undefined
  const [, input] =
    /name="input"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)\r\n/.exec(
      typeof text === 'string' ? text : '',
    ) ?? []
  try {
    return input && JSON.parse(Buffer.from(input, 'latin1').toString())
  } catch {
    return undefined
  }
}
