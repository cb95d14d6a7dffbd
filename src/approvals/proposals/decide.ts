import { createHash } from 'node:crypto'
import { haveCommonMaker } from '../../accounts/makers.ts'
import { requireFreshProof, requirePasskeyProof } from '../../accounts/passkeys/fresh-proof.ts'
import { requireSession } from '../../accounts/sign-in/session.ts'
import { findUser } from '../../accounts/users/user.store.ts'
import type { Caller } from '../../api/auth/caller.ts'
import { canUseScope } from '../../api/auth/caller.ts'
import { changedMeanwhile, forbidden, invalid } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { type Approver, canApproveFor, isApprovedBy } from '../requirements.ts'
import { currentStatus } from './proposal.representation.ts'
import type { ProposalDecisionRow, ProposalRow } from './proposal.row.ts'
import type { ProposalDecisionCreate } from './proposal.schema.ts'
import {
  decisionsOn,
  endProposal,
  lockProposal,
  readProposal,
  recordProposalChange,
  recordProposalEvent,
} from './proposal.store.ts'

export type Decision = ProposalDecisionRow['decision']

/** What is sent with a decision, to prove who decides. */
type Proof = Pick<ProposalDecisionCreate, 'password' | 'code' | 'credential'>

/**
 * Records the decision of a person. The proposal's row is locked meanwhile, so that of several decisions at once
 * each knows the ones before. The last approval makes the proposal due.
 */
export async function decide(
  world: World,
  caller: Caller,
  { account, id }: { account: string; id: string },
  decision: Decision,
  { hash, comment, ...proof }: ProposalDecisionCreate,
): Promise<ProposalRow> {
  const proposal = await readProposal(world, account, id)
  await refuseDecision(world, caller, proposal, await decisionsOn(world, proposal))
  if (hash !== proposal.hash.toString('hex'))
    throw changedMeanwhile('The hash is not that of the proposal: read it again')
  await requireProof(world, caller, proposal, proof)
  return world.db.transaction().execute(async (db) => {
    const row = await lockProposal(db, account, id)
    const before = await decisionsOn({ db }, row)
    // once more, under the lock
    const approver = await refuseDecision({ ...world, db }, caller, row, before)
    await db
      .insertInto('proposal_decisions')
      .values({
        merchant_account_id: account,
        proposal_id: id,
        user_id: caller.actor.id,
        user_name: caller.actor.name,
        role_ids: [...approver.role_ids],
        decision,
        comment: comment ?? null,
        created_at: timeOf(world.clock),
      })
      .execute()
    await recordProposalChange(db, world, 'updated', row, decision)
    if (decision === 'rejected') return endProposal(db, world, row, { status: 'rejected' })
    const approvers = [...before.filter((each) => each.decision === 'approved'), approver]
    if (!isApprovedBy(row.requirements, approvers)) return row
    const now = timeOf(world.clock)
    const approved = await db
      .updateTable('proposals')
      .set({ status: 'approved', approved_at: now, due_at: now, updated_at: now })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordProposalEvent(db, world, 'approved', approved)
    return approved
  })
}

/** Withdraws a proposal for its requester. Throws 403 for others, 409 if it is not pending. */
export const withdrawProposal = (
  world: World,
  caller: Caller,
  { account, id }: { account: string; id: string },
): Promise<ProposalRow> =>
  world.db.transaction().execute(async (db) => {
    const row = await lockProposal(db, account, id)
    if (row.requester_id !== caller.actor.id) throw forbidden('A proposal is withdrawn by its requester')
    refuseUnlessPending(world, row)
    await recordProposalChange(db, world, 'updated', row, 'withdrawn')
    return endProposal(db, world, row, { status: 'withdrawn' })
  })

function refuseUnlessPending(world: Pick<World, 'clock'>, row: ProposalRow): void {
  const status = currentStatus(world, row)
  if (status !== 'pending') throw changedMeanwhile(`The proposal is not pending any more: it is ${status}`)
}

/** Throws 409 or 403 unless the person may decide now. Returns them with the roles that they have now. */
async function refuseDecision(
  world: Pick<World, 'db' | 'clock'>,
  caller: Caller,
  row: ProposalRow,
  decisions: readonly ProposalDecisionRow[],
): Promise<Approver> {
  requireSession(caller)
  refuseUnlessPending(world, row)
  const approver = await approverOf(world, caller)
  const reason = approver ? await reasonAgainst(world, row, approver, decisions) : NOT_A_PERSON
  if (!approver || reason !== null) throw forbidden(reason ?? NOT_A_PERSON)
  return approver
}

const NOT_A_PERSON = 'Proposals are decided by people: a key pair cannot'

/** The caller as an approver, with their present roles; undefined for a key pair. */
export async function approverOf(world: Pick<World, 'db'>, { actor }: Caller): Promise<Approver | undefined> {
  const user = actor.type === 'user' ? await findUser(world, actor.id) : undefined
  return user && { user_id: user.id, role_ids: user.role_ids }
}

/** Why this person may not decide on a pending proposal, in words; null: they may. */
async function reasonAgainst(
  world: Pick<World, 'db'>,
  row: ProposalRow,
  approver: Approver,
  decisions: readonly ProposalDecisionRow[],
): Promise<string | null> {
  if (decisions.some(({ user_id }) => user_id === approver.user_id))
    return 'You have decided on this proposal'
  if (!row.requirements.some((requirement) => canApproveFor(requirement, approver)))
    return 'You are none of the approvers that its policies name'
  if (row.requester_id === approver.user_id) return 'You have made this proposal yourself'
  return (await isBySamePerson(world, row, approver.user_id))
    ? 'One person could act as its requester and as you: you have made the key pair or the person that proposes it, they have made or changed you, or a third person has made both, without approval'
    : null
}

/**
 * Whether whoever proposes could also be the person who decides: through a key pair, or through a person that
 * they have invited or changed since the oldest policy that asks for this approval. Of people before it, the
 * policy's author knew.
 */
function isBySamePerson(world: Pick<World, 'db'>, row: ProposalRow, userId: string): Promise<boolean> {
  const since = row.requirements.map(({ policy_created_at }) => policy_created_at ?? row.created_at)
  return haveCommonMaker(
    world,
    { type: row.requester_type, id: row.requester_id },
    { type: 'user', id: userId },
    since.reduce((earliest, each) => (Date.parse(each) < Date.parse(earliest) ? each : earliest)),
  )
}

/** Why the caller may not decide, for readers of the proposal; null: they may. */
export async function cannotDecideBecause(
  world: Pick<World, 'db' | 'clock'>,
  caller: Caller,
  row: ProposalRow,
  decisions: readonly ProposalDecisionRow[],
): Promise<string | null> {
  const status = currentStatus(world, row)
  if (status !== 'pending') return `It is ${status}`
  if (!canUseScope(caller, 'approvals.write')) return 'You need the scope approvals.write'
  const approver = await approverOf(world, caller)
  return approver ? reasonAgainst(world, row, approver, decisions) : NOT_A_PERSON
}

/** What a passkey signs for a decision: the request and its proposal, since two proposals may have one request. */
export const decisionPurpose = ({ merchant_account_id, id, hash }: ProposalRow): Buffer =>
  createHash('sha256').update(`${merchant_account_id}/${id}/`).update(hash).digest()

/** Throws 400 unless the person proves at this moment who they are. */
async function requireProof(
  world: World,
  caller: Caller,
  proposal: ProposalRow,
  { password, code, credential }: Proof,
): Promise<void> {
  const session = requireSession(caller)
  if (credential)
    return requirePasskeyProof(
      world,
      { id: caller.actor.id, session: session.id },
      credential,
      decisionPurpose(proposal),
    )
  if (password === undefined)
    throw invalid({ '/password': 'or credential is needed: prove again who you are' })
  return requireFreshProof(world, caller.actor.id, { password, ...(code !== undefined && { code }) })
}
