import { Type } from 'typebox'
import { Described, Uuid } from '../../../api/schema.ts'
import { read } from '../../call-api.ts'
import { Input, Output, reads, tool } from '../../tool.ts'
import { type ApiProposal, ProposalView, toProposed } from './proposals.ts'

export const getProposal = tool({
  name: 'get_proposal',
  title: 'Get a proposal',
  description:
    'Tells what became of an action that waits for approval: whether people have approved or rejected it, and what its execution answered. People decide in the dashboard; no tool approves.',
  input: Input({ proposal_id: Described(Uuid, 'The id that the tool of the action has answered') }),
  output: Output({
    state: Type.String(),
    summary: Type.String(),
    proposal: ProposalView,
  }),
  annotations: reads,
  scopes: ['approvals.read'],
  run: async ({ proposal_id }, { call }) =>
    toProposed(await read<ApiProposal>(call, `/proposals/${proposal_id}`)),
})
