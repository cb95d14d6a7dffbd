import type { Proposal, ProposalSummary } from '@railyard/client'
import { readable } from '../../format/names.ts'
import type { StatusLooks } from '../../parts/values/status-tag.tsx'
import { approvalOperations, approvalWords } from '../../words/approvals/approvals.ts'
import { resourcePath } from '../event-log/resource-path.ts'

const words = approvalWords.status

export const proposalLooks: StatusLooks = {
  pending: [words.pending, 'warn'],
  approved: [words.approved, 'info'],
  executing: [words.executing, 'info'],
  executed: [words.executed, 'good'],
  failed: [words.failed, 'bad'],
  rejected: [words.rejected, 'bad'],
  withdrawn: [words.withdrawn, 'quiet'],
  expired: [words.expired, 'quiet'],
  stale: [words.stale, 'bad'],
}

export const nameOperation = (name: string): string => approvalOperations[name] ?? readable(name)

/** What the request does: Refund, Void. */
export const describeOperations = ({ operations }: Pick<ProposalSummary, 'operations'>): string =>
  operations.map(nameOperation).join(', ')

export const describeRequester = ({ requester }: Pick<ProposalSummary, 'requester'>): string =>
  requester.type === 'api-key-pair' ? approvalWords.keyPair(requester.name) : requester.name

/** The types of what operations create; the others change the resource that the proposal names. */
const created: Readonly<Record<string, string | undefined>> = {
  refund: 'refund',
  forced_refund: 'refund',
  payout: 'payout',
  api_key_pair: 'api-key-pair',
  user: 'user',
}

/** Where the result is shown, below its merchant account: what the request has made, else what it has changed. */
export function resultPath({ result, operations, resource }: Proposal): string | undefined {
  const type = operations.map((each) => created[each]).find(Boolean) ?? resource?.type
  const made = result?.resource_id && type ? resourcePath({ type, id: result.resource_id }) : undefined
  return made ?? (resource ? resourcePath(resource) : undefined)
}
