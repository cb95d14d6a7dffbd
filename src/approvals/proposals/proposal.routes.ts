import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { CHALLENGE_LIFETIME_MS, createChallenge } from '../../accounts/passkeys/challenge.store.ts'
import { PasskeyOptions } from '../../accounts/passkeys/passkey.schema.ts'
import { allPasskeys } from '../../accounts/passkeys/passkey.store.ts'
import { relyingParty, webAuthn } from '../../accounts/passkeys/relying-party.ts'
import { requireSession } from '../../accounts/sign-in/session.ts'
import type { App } from '../../api/app.ts'
import { type Caller, canUseScope } from '../../api/auth/caller.ts'
import { forbidden, notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers, idempotencyHeaders } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { changesBetween } from '../require-approval.ts'
import { checkRequest, createProposal } from './create-proposal.ts'
import {
  approverOf,
  cannotDecideBecause,
  type Decision,
  decide,
  decisionPurpose,
  withdrawProposal,
} from './decide.ts'
import { executeProposal } from './execute-proposals.ts'
import { currentStatus, showProposal, summarizeProposal } from './proposal.representation.ts'
import type { ProposalRow } from './proposal.row.ts'
import {
  Proposal,
  ProposalAnswer,
  ProposalCreate,
  ProposalDecisionCreate,
  ProposalQuery,
  ProposalSummaries,
} from './proposal.schema.ts'
import { decisionsOn, listProposals, readProposal } from './proposal.store.ts'
import { openBody, requesterOf } from './requester.ts'
import { takeAnswer } from './take-answer.ts'

const tags = ['Approvals']
const params = Type.Object({ proposal_id: Uuid })

/** The scopes of the operations that can be proposed: without one of them there is nothing to propose. */
const proposingScopes = [
  'transactions.write',
  'transactions.correct',
  'payouts.write',
  'flows.write',
  'api-key-pairs.write',
  'users.write',
  'payment-services.write',
  'gift-card-services.write',
  'anti-fraud-services.write',
  'digital-wallets.write',
  'apple-pay-certificates.write',
  'merchant-accounts.write',
  'erasures.write',
  'approval-policies.write',
  'spending-limits.write',
]
const read = { scopes: ['approvals.read', ...proposingScopes] }
const propose = { scopes: proposingScopes }
const write = { scopes: ['approvals.write'] }

/** Without the scope, callers see the proposals alone that they have made. */
const onlyRequester = (caller: Caller): string | undefined =>
  canUseScope(caller, 'approvals.read') || canUseScope(caller, 'approvals.write')
    ? undefined
    : caller.actor.id

export const proposalRoutes: Routes = (app, world) => {
  app.post(
    '/proposals',
    {
      config: propose,
      schema: {
        operationId: 'create_proposal',
        summary: 'Propose a request',
        description:
          'Stores a request that needs approval, after checking it as if you had sent it. Once enough people have approved, it runs once, in your name, under the id of the proposal as its idempotency key. You need the scope of the request itself.',
        tags,
        headers: idempotencyHeaders,
        body: ProposalCreate,
        response: { 201: Proposal },
      },
    },
    async ({ account, caller, body, headers }, reply) => {
      const key = headers['idempotency-key'] ?? undefined
      const row = await createProposal(world, app, { caller, account }, body, key)
      return reply.code(201).send(await show(world, app, caller, row))
    },
  )

  app.get(
    '/proposals',
    {
      config: read,
      schema: {
        operationId: 'list_proposals',
        summary: 'List proposals',
        description:
          'The newest first. All filters apply. Without the scope `approvals.read` you see the proposals that you have made.',
        tags,
        headers,
        querystring: ProposalQuery,
        response: { 200: ProposalSummaries },
      },
    },
    async ({ account, caller, query: { cursor, limit, waiting_for_me, ...filters } }) => {
      const only = onlyRequester(caller)
      const approver = waiting_for_me ? await approverOf(world, caller) : undefined
      if (waiting_for_me && !approver)
        throw forbidden('Nothing waits for a key pair: people decide on proposals')
      const filter = {
        ...filters,
        requester_id: only ?? filters.requester_id,
        approver: approver && canUseScope(caller, 'approvals.write') ? approver : undefined,
      }
      const list = `proposals/${account}/${JSON.stringify([filter, only])}`
      return answerPage(
        world.cipher,
        list,
        { cursor, limit },
        {
          read: (page) => listProposals(world, account, filter, page),
          positionOf: newestFirstPosition,
          show: (row) => summarizeProposal(world, row),
        },
      )
    },
  )

  app.get(
    '/proposals/:proposal_id',
    {
      config: read,
      schema: {
        operationId: 'get_proposal',
        summary: 'Get a proposal',
        description: 'The proposal with its request, its decisions, and what has changed since it was made.',
        tags,
        headers,
        params,
        response: { 200: Proposal },
      },
    },
    async ({ account, caller, params }) =>
      show(world, app, caller, await readProposal(world, account, params.proposal_id, onlyRequester(caller))),
  )

  const decision = (decision: Decision) => async (request: DecisionRequest) => {
    const { account, caller, params, body } = request
    const key = { account, id: params.proposal_id }
    const decided = await decide(world, caller, key, decision, body)
    if (decided.status === 'approved') await executeProposal(world, app, decided.id)
    return show(world, app, caller, await readProposal(world, account, params.proposal_id))
  }

  app.post(
    '/proposals/:proposal_id/approve',
    {
      config: write,
      schema: {
        operationId: 'approve_proposal',
        summary: 'Approve a proposal',
        description:
          'Needs your password, with a code if you use an authenticator app, or a passkey. Nobody approves their own proposal, nor one of a key pair that they have created or changed, nor as or for a person whom the same person has invited or changed since the policy exists, without approval. The last approval that is needed runs the request at once. 409 if the proposal is not pending, or the `hash` is another one.',
        tags,
        headers,
        params,
        body: ProposalDecisionCreate,
        response: { 200: Proposal },
      },
    },
    decision('approved'),
  )

  app.post(
    '/proposals/:proposal_id/reject',
    {
      config: write,
      schema: {
        operationId: 'reject_proposal',
        summary: 'Reject a proposal',
        description:
          'One rejection ends the proposal. It needs the same proof of who you are as an approval.',
        tags,
        headers,
        params,
        body: ProposalDecisionCreate,
        response: { 200: Proposal },
      },
    },
    decision('rejected'),
  )

  app.post(
    '/proposals/:proposal_id/withdraw',
    {
      config: propose,
      schema: {
        operationId: 'withdraw_proposal',
        summary: 'Withdraw a proposal',
        description: 'Ends a pending proposal that you have made.',
        tags,
        headers,
        params,
        response: { 200: Proposal },
      },
    },
    async ({ account, caller, params }) => {
      const key = { account, id: params.proposal_id }
      await readProposal(world, account, key.id, onlyRequester(caller))
      return show(world, app, caller, await withdrawProposal(world, caller, key))
    },
  )

  app.post(
    '/proposals/:proposal_id/passkey-options',
    {
      config: write,
      schema: {
        operationId: 'create_proposal_passkey_options',
        summary: 'Prepare to decide with a passkey',
        description:
          'Answers what `navigator.credentials.get()` needs. Your passkey signs this proposal and its hash: the answer is good for one decision on it.',
        tags,
        headers,
        params,
        response: { 200: PasskeyOptions },
      },
    },
    async ({ account, caller, params }, reply) => {
      const proposal = await readProposal(world, account, params.proposal_id)
      const session = requireSession(caller)
      const { id } = relyingParty(world)
      const passkeys = await allPasskeys(world, caller.actor.id)
      const challenge = await createChallenge(world, session.id, decisionPurpose(proposal))
      const { generateAuthenticationOptions } = await webAuthn()
      const options = await generateAuthenticationOptions({
        rpID: id,
        challenge: challenge.bytes,
        timeout: CHALLENGE_LIFETIME_MS,
        userVerification: 'required',
        allowCredentials: passkeys.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
      })
      return reply.header('cache-control', 'no-store').send({
        type: 'passkey-options',
        options: { ...options },
        expires_at: timestamp(challenge.expiresAt),
      })
    },
  )

  app.post(
    '/proposals/:proposal_id/answer',
    {
      config: propose,
      schema: {
        operationId: 'take_proposal_answer',
        summary: 'Take the answer to a proposed request',
        description:
          'Answers the requester, this once, what the request has answered where that has a credential: an invitation. It is erased then, and after a day. 404 if there is none.',
        tags,
        headers,
        params,
        response: { 200: ProposalAnswer },
      },
    },
    async ({ account, caller, params }, reply) => {
      const answer = await takeAnswer(world, caller, { account, id: params.proposal_id })
      if (!answer) throw notFound('There is no answer to take: it was taken, or has no credential')
      return reply.header('cache-control', 'no-store').send(answer)
    },
  )
}

type DecisionRequest = Pick<FastifyRequest, 'account' | 'caller'> & {
  params: { proposal_id: string }
  body: ProposalDecisionCreate
}

async function show(world: World, app: App, caller: Caller, row: ProposalRow): Promise<Proposal> {
  const decisions = await decisionsOn(world, row)
  return showProposal(world, row, {
    decisions,
    changedSince: await changedSince(world, app, row),
    cannotDecideBecause: await cannotDecideBecause(world, caller, row, decisions),
  })
}

/** What has changed since a pending proposal was made; null: that cannot be told. */
async function changedSince(world: World, app: App, row: ProposalRow): Promise<Proposal['changed_since']> {
  const caller = currentStatus(world, row) === 'pending' ? await requesterOf(world, row) : undefined
  if (!caller) return null
  const request = { method: row.method, path: row.path, body: openBody(world, row) }
  const checked = await checkRequest(app, { caller, account: row.merchant_account_id }, request).catch(
    () => undefined,
  )
  return checked ? changesBetween(row.preconditions, checked.target.preconditions) : null
}
