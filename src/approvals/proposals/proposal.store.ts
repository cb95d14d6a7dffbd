import { type Kysely, sql } from 'kysely'
import { orNotFound } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { lockRow } from '../../database/rows/lock-row.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { Approver } from '../requirements.ts'
import { summarizeProposal } from './proposal.representation.ts'
import type { ProposalDecisionRow, ProposalRow } from './proposal.row.ts'
import type { ProposalQuery } from './proposal.schema.ts'

/** Throws 404 if the account has no such proposal, or `requester` (if given) has not made it. */
export async function readProposal(
  { db }: { db: Kysely<Tables> },
  account: string,
  id: string,
  requester?: string,
): Promise<ProposalRow> {
  const row = await db
    .selectFrom('proposals')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .$if(requester !== undefined, (query) => query.where('requester_id', '=', requester ?? ''))
    .executeTakeFirst()
  return orNotFound(row)
}

export const decisionsOn = (
  { db }: { db: Kysely<Tables> },
  { merchant_account_id, id }: Pick<ProposalRow, 'merchant_account_id' | 'id'>,
): Promise<ProposalDecisionRow[]> =>
  db
    .selectFrom('proposal_decisions')
    .selectAll()
    .where('merchant_account_id', '=', merchant_account_id)
    .where('proposal_id', '=', id)
    .orderBy('created_at')
    .orderBy('user_id')
    .execute()

/**
 * SQL: pending proposals that this person may decide, apart from those whose requester has a maker in common
 * with them (`haveCommonMaker`), which are few.
 */
export const waitsFor = ({ user_id, role_ids }: Approver, now: string) => sql<boolean>`
  status = 'pending'
  and expires_at > ${now}::timestamptz
  and requester_id <> ${user_id}::uuid
  and not exists (select from proposal_decisions d
                   where d.merchant_account_id = proposals.merchant_account_id
                     and d.proposal_id = proposals.id
                     and d.user_id = ${user_id}::uuid)
  and exists (select from jsonb_array_elements(requirements) as needed
               where (needed->'approver_role_ids' = '[]' and needed->'approver_user_ids' = '[]')
                  or needed->'approver_user_ids' ? ${user_id}
                  or needed->'approver_role_ids' ?| ${[...role_ids]}::text[])`

export type ProposalFilter = Pick<
  { [Name in keyof ProposalQuery]: ProposalQuery[Name] | undefined },
  'status' | 'operation' | 'requester_id' | 'resource_id'
> & {
  /** Only what waits for this person. */
  approver: Approver | undefined
}

/** A page of proposals, the newest first. */
export function listProposals(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  account: string,
  { status, operation, requester_id, resource_id, approver }: ProposalFilter,
  page: PageRequest,
): Promise<ProposalRow[]> {
  const now = timeOf(clock)
  // a pending proposal whose time is over is shown as expired before background work has written that
  const shown = sql<string>`case when status = 'pending' and expires_at <= ${now}::timestamptz then 'expired' else status end`
  return db
    .selectFrom('proposals')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(!!status, (query) => query.where(sql<boolean>`${shown} = any(${[...(status ?? [])]}::text[])`))
    .$if(!!operation, (query) => query.where(sql<boolean>`${operation} = any(operations)`))
    .$if(!!requester_id, (query) => query.where('requester_id', '=', requester_id ?? ''))
    .$if(!!resource_id, (query) => query.where('resource_id', '=', resource_id ?? ''))
    .$if(approver !== undefined, (query) =>
      query.where(approver ? waitsFor(approver, now) : sql<boolean>`true`),
    )
    .$call(newestFirst(page))
    .execute()
}

/** Locks a proposal until the database transaction ends. Throws 404 if the account has no such proposal. */
export const lockProposal = async (db: Kysely<Tables>, account: string, id: string): Promise<ProposalRow> =>
  orNotFound(await lockRow(db, 'proposals', account, id))

export type ProposalEvent =
  | 'created'
  | 'approved'
  | 'rejected'
  | 'withdrawn'
  | 'expired'
  | 'executed'
  | 'failed'

/** Writes the event of a change. */
export const recordProposalEvent = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  event: ProposalEvent,
  row: ProposalRow,
): Promise<void> =>
  recordEvent(db, world, {
    account: row.merchant_account_id,
    name: `proposal.${event}`,
    target: summarizeProposal(world, row),
  })

/** Writes a change by a person or a key pair to the audit log. `what` is its name there. */
export const recordProposalChange = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: 'created' | 'updated',
  { merchant_account_id, id }: ProposalRow,
  what: string,
): Promise<void> =>
  recordChange(db, world, {
    account: merchant_account_id,
    action,
    resource: { type: 'proposal', id, name: what },
  })

/** What ends a proposal. */
export type Ending = Pick<ProposalRow, 'status'> & Partial<Pick<ProposalRow, 'result' | 'changes' | 'answer'>>

const endingEvents: Partial<Record<ProposalRow['status'], ProposalEvent>> = {
  executed: 'executed',
  failed: 'failed',
  stale: 'failed',
  rejected: 'rejected',
  withdrawn: 'withdrawn',
  expired: 'expired',
}

/** Ends a proposal that the database transaction has locked: erases its body, and writes its event. */
export async function endProposal(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  { merchant_account_id, id }: ProposalRow,
  { status, result, changes, answer }: Ending,
): Promise<ProposalRow> {
  const now = timeOf(world.clock)
  const row = await db
    .updateTable('proposals')
    .set({
      status,
      body: null,
      due_at: null,
      ended_at: now,
      updated_at: now,
      ...(result && { result: JSON.stringify(result) }),
      ...(changes && { changes: JSON.stringify(changes) }),
      ...(answer && { answer }),
    })
    .where('merchant_account_id', '=', merchant_account_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const event = endingEvents[status]
  if (event) await recordProposalEvent(db, world, event, row)
  return row
}
