import { Type } from 'typebox'
import { Described } from '../../../api/schema.ts'
import { ApiRefusal, type ApiRequest, type CallApi, read, send } from '../../call-api.ts'
import { AnyText, marked } from '../../untrusted.ts'

/** The members of the API's proposal that tools show. */
export interface ApiProposal {
  id: string
  status: string
  reason: string
  amount: number | null
  currency: string | null
  resource: { type: string; id: string } | null
  result: { status_code: number | null; resource_id: string | null; error: { code: string } | null } | null
  changes: unknown[] | null
  expires_at: string
}

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** A proposal as tools show it. */
export const ProposalView = Type.Object({
  id: Type.String(),
  status: AnyText,
  amount: Described(
    OrNull(Type.Integer()),
    'What leaves with it, as approvers see it: the earlier refunds of the payment count, too',
  ),
  currency: OrNull(AnyText),
  resource_id: OrNull(AnyText),
  expires_at: Type.String(),
  result: Described(OrNull(Type.Unknown()), 'The answer to the request, once it has run'),
  changes: Described(OrNull(Type.Unknown()), 'Of a stale proposal: what had changed'),
})

export const showProposal = ({
  id,
  status,
  amount,
  currency,
  resource,
  expires_at,
  result,
  changes,
}: ApiProposal) => ({
  id,
  amount,
  expires_at,
  ...marked({ status, currency, resource_id: resource?.id ?? null }),
  result: marked(result),
  changes: marked(changes),
})

const meanings: Readonly<Record<string, { state: ProposalState; sentence: string }>> = {
  pending: { state: 'waits_for_approval', sentence: 'It waits for the approval of people.' },
  approved: { state: 'waits_for_approval', sentence: 'It is approved and about to be executed.' },
  executing: { state: 'waits_for_approval', sentence: 'It is approved and being executed.' },
  executed: { state: 'done', sentence: 'It was approved and executed.' },
  failed: { state: 'not_done', sentence: 'It was approved, and the request was refused.' },
  rejected: { state: 'not_done', sentence: 'An approver has rejected it.' },
  withdrawn: { state: 'not_done', sentence: 'It was withdrawn.' },
  expired: { state: 'not_done', sentence: 'Nobody decided in time.' },
  stale: {
    state: 'not_done',
    sentence: 'It was approved, and what it is about had changed; nothing was done.',
  },
}

export type ProposalState = 'done' | 'not_done' | 'waits_for_approval'

/** What became of a proposal. */
export interface Proposed {
  proposal: ReturnType<typeof showProposal>
  state: ProposalState
  summary: string
}

export function toProposed(proposal: ApiProposal): Proposed {
  const { state, sentence } = meanings[proposal.status] ?? {
    state: 'waits_for_approval',
    sentence: 'Its state is not known to this tool.',
  }
  return { proposal: showProposal(proposal), state, summary: sentence }
}

/** The answers to requests that their caller may propose instead. */
const needsApproval: readonly string[] = ['approval_required', 'spending_limit_exceeded']

/** Who wants what done, and why. */
interface Purpose {
  request_id: string
  reason: string
  /** What it is done to. */
  resource_id: string
}

/**
 * Sends a request, once for each `request_id`. Where the caller needs approval, or would exceed a spending
 * limit, it is proposed instead, and people decide.
 */
export async function actOrPropose<Answer>(
  call: CallApi,
  request: ApiRequest & { method: 'POST' },
  purpose: Purpose,
): Promise<{ answer: Answer } | Proposed> {
  // a limit that was reached yesterday may not be reached today: what was proposed must not be done as well
  const earlier = await proposedBefore(call, purpose)
  if (earlier) return toProposed(earlier)
  try {
    return { answer: await send<Answer>(call, { ...request, idempotencyKey: purpose.request_id }) }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || !needsApproval.includes(error.code)) throw error
    return toProposed(await propose(call, request, purpose))
  }
}

/** The reason names the request, so that a repetition finds its proposal. */
const reasonOf = ({ reason, request_id }: Purpose) => `${reason} ${signOf(request_id)}`
const signOf = (request_id: string) => `(request ${request_id})`

const propose = (call: CallApi, { method, path, body }: ApiRequest, purpose: Purpose): Promise<ApiProposal> =>
  send<ApiProposal>(call, {
    method: 'POST',
    path: '/proposals',
    body: { method, path, body, reason: reasonOf(purpose) },
    idempotencyKey: purpose.request_id,
  })

const PAGE = 100

/** The proposal that was made under this `request_id` for the same resource. */
async function proposedBefore(
  call: CallApi,
  { request_id, resource_id }: Purpose,
): Promise<ApiProposal | undefined> {
  let cursor: string | undefined
  for (;;) {
    const page = await read<ProposalPage>(call, '/proposals', { resource_id, limit: PAGE, cursor })
    const found = page.items.find(({ reason }) => reason.endsWith(signOf(request_id)))
    if (found || page.next_cursor === null) return found
    cursor = page.next_cursor
  }
}

interface ProposalPage {
  items: ApiProposal[]
  next_cursor: string | null
}
