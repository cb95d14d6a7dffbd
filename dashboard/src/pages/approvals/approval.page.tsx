import type { Proposal, ProposalChange } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { formatAmount } from '../../format/amount.ts'
import { readable } from '../../format/names.ts'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, CopyText, Json, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { approvalWords as words } from '../../words/approvals/approvals.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { resourcePath } from '../event-log/resource-path.ts'
import { ProposalActions } from './proposal-actions.tsx'
import { describeOperations, describeRequester, proposalLooks, resultPath } from './proposal-status.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['proposals', id], (api, signal) => api.proposals.get(id, { signal }), {
    refresh: 5_000,
  })
  return (
    <Loaded query={query} title={words.proposal} lines={8}>
      {(proposal) => (
        <Layout
          title={describeOperations(proposal)}
          above={[{ text: words.title, to: `/${account}/approvals` }]}
          heading={
            <Heading>
              <span>{describeOperations(proposal)}</span>
              {proposal.amount !== null && proposal.currency && (
                <Amount of={proposal.amount} currency={proposal.currency} />
              )}
              <StatusTag status={proposal.status} looks={proposalLooks} />
            </Heading>
          }
          actions={<ProposalActions proposal={proposal} />}
        >
          <WhatNext proposal={proposal} />
          <Columns
            main={
              <>
                <RequestCard proposal={proposal} />
                <Preconditions proposal={proposal} />
              </>
            }
            side={
              <>
                <ProposalDetails proposal={proposal} />
                <DecisionsCard proposal={proposal} />
              </>
            }
          />
        </Layout>
      )}
    </Loaded>
  )
}

/** What has come of it, with the way there; of a pending one, why the person cannot decide. */
function WhatNext({ proposal }: { proposal: Proposal }): ReactNode {
  const { account, may, session } = useSignedIn()
  const { status, result, cannot_decide_because: reason } = proposal
  const isOwn = proposal.requester.id === session.user.id
  if (status === 'pending') {
    if (!reason || isOwn || !may('approvals.write')) return null
    return (
      <div className="mb-4">
        <Notice>{words.cannotDecide(reason)}</Notice>
      </div>
    )
  }
  const text = words.next[status as keyof typeof words.next]
  if (!text) return null
  const path = resultPath(proposal)
  return (
    <div className="mb-4">
      <Notice tone={status === 'executed' ? 'good' : 'bad'}>
        {text} {result?.error && `${result.error.message}. `}
        {path && (
          <Link className="underline" to={`/${account}/${path}`}>
            {words.openResult}
          </Link>
        )}
      </Notice>
    </div>
  )
}

/** Exactly what runs once it is approved. */
const RequestCard = ({ proposal: { method, path, body, hash } }: { proposal: Proposal }): ReactNode => (
  <Card title={words.request}>
    <p className="mb-3 text-sm text-ink-2">{words.requestText}</p>
    <Details>
      <Detail name={words.methodAndPath}>
        <code className="font-mono">
          {method} {path}
        </code>
      </Detail>
      <Detail name={words.hash}>
        <CopyText text={hash} />
      </Detail>
    </Details>
    <h3 className="mt-3 mb-1 text-sm font-medium">{words.body}</h3>
    {body === null ? <p className="text-sm text-ink-3">{words.noBody}</p> : <Json value={body} />}
  </Card>
)

type Value = ProposalChange['is']

/** A member of what a proposal is about; amounts in the form of its currency. */
function describeMember({ currency }: Proposal, member: string, value: Value): string {
  if (value === null) return commonWords.none
  if (typeof value === 'boolean') return commonWords[value ? 'yes' : 'no']
  const isAmount = typeof value === 'number' && /(^|_)amount$/.test(member)
  return isAmount && currency ? formatAmount(value, currency) : `${value}`
}

function Preconditions({ proposal }: { proposal: Proposal }): ReactNode {
  const { preconditions, changes, changed_since } = proposal
  const entries = Object.entries(preconditions)
  const changed = changes ?? changed_since
  return (
    <>
      {entries.length > 0 && (
        <Card title={words.preconditions}>
          <Details>
            {entries.map(([member, value]) => (
              <Detail key={member} name={readable(member)}>
                {describeMember(proposal, member, value)}
              </Detail>
            ))}
          </Details>
        </Card>
      )}
      {changed && (
        <Card title={words.changedSince}>
          <SmallTable
            label={words.changedSince}
            rows={changed}
            rowId={({ member }) => member}
            empty={words.noChange}
            columns={[
              { id: 'member', header: words.member, cell: ({ member }) => readable(member) },
              {
                id: 'was',
                header: words.was,
                cell: ({ member, was }) => describeMember(proposal, member, was),
              },
              { id: 'is', header: words.is, cell: ({ member, is }) => describeMember(proposal, member, is) },
            ]}
          />
        </Card>
      )}
    </>
  )
}

function ProposalDetails({ proposal }: { proposal: Proposal }): ReactNode {
  const { account } = useSignedIn()
  const { resource, result } = proposal
  const path = resource && resourcePath(resource)
  const name = resource && `${readable(resource.type)} ${resource.id}`
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={words.requester}>{describeRequester(proposal)}</Detail>
        <Detail name={members.reason}>{proposal.reason}</Detail>
        <Detail name={words.about_resource}>
          {path ? (
            <Link className="underline" to={`/${account}/${path}`}>
              {name}
            </Link>
          ) : (
            name
          )}
        </Detail>
        <Detail name={words.statusCode}>{result?.status_code}</Detail>
        <Detail name={members.created}>
          <Time at={proposal.created_at} form="both" />
        </Detail>
        <Detail name={words.openUntil}>
          {proposal.status === 'pending' && <Time at={proposal.expires_at} form="both" />}
        </Detail>
        <Detail name={words.approvedAt}>
          {proposal.approved_at && <Time at={proposal.approved_at} form="both" />}
        </Detail>
        <Detail name={words.ended}>{proposal.ended_at && <Time at={proposal.ended_at} form="both" />}</Detail>
        <Detail name={members.id}>
          <CopyText text={proposal.id} />
        </Detail>
      </Details>
    </Card>
  )
}

const DecisionsCard = ({ proposal: { requirements, decisions } }: { proposal: Proposal }): ReactNode => (
  <Card title={words.decisions}>
    <ul aria-label={words.requirements} className="mb-3 text-sm wrap-anywhere">
      {requirements.map(({ policy_id, display_name, approvals, required_approvals }) => (
        <li key={policy_id}>{words.requirement(display_name, approvals, required_approvals)}</li>
      ))}
    </ul>
    {decisions.length === 0 ? (
      <p className="text-sm text-ink-3">{words.noDecisions}</p>
    ) : (
      <ul className="grid gap-3 text-sm wrap-anywhere">
        {decisions.map(({ user, decision, comment, created_at }) => (
          <li key={user.id}>
            <b className="font-medium">{user.name}</b>{' '}
            {words.decided[decision as keyof typeof words.decided] ?? decision}, <Time at={created_at} />
            {comment && <p className="text-ink-2">{comment}</p>}
          </li>
        ))}
      </ul>
    )}
  </Card>
)
