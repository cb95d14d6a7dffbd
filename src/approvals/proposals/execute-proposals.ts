/**
 * Executes approved proposals, each once. The process that claims a proposal sends its request to its own server
 * under the next attempt number. A change of an earlier attempt is refused by the database from then on
 * (`fence_proposal`), so that the claim, and then the audit log, decide whether an attempt has had its effect.
 */

import { sql } from 'kysely'
import { runInEachAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import type { App } from '../../api/app.ts'
import { type InnerAnswer, type InnerRequest, sendInnerRequest } from '../../api/request/inner-requests.ts'
import type { ApprovalOperation } from '../../api/values/approval-target.ts'
import { isJsonObject } from '../../api/values/json-object.ts'
import { backOffMs } from '../../base/back-off.ts'
import { timeOf } from '../../base/clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../../database/rows/select-due.ts'
import type { World } from '../../world.ts'
import type { ProposalRow } from './proposal.row.ts'
import { type Ending, endProposal, lockProposal } from './proposal.store.ts'
import { openBody, requesterOf } from './requester.ts'

/** How long other processes leave a proposal to the one that executes it: longer than a request takes. */
const LEASE_MS = 120_000
/** After this time a request that is refused for the moment is given up; keys are remembered for a day and longer. */
const PATIENCE_MS = 12 * 3_600_000
const RETRY = { first: 1_000, max: 300_000 }

const dueProposals: DueRows = {
  table: 'proposals',
  key: ['id'],
  condition: (now) => `due_at <= ${now}::timestamptz`,
  orderBy: 'due_at',
}

const claimOf = (due: DueRows) =>
  namedStatement(
    ['account', 'ids', 'now', 'leasedUntil', 'limit'],
    (p) => `
with due as (${selectDueSql(due, { ...p, keys: [p.ids], values: [p.now] })}
)
update proposals p
   set status = 'executing',
       attempt = attempt + 1,
       due_at = ${p.leasedUntil}::timestamptz,
       updated_at = ${p.now}::timestamptz
  from due
 where p.merchant_account_id = ${p.account}
   and p.merchant_account_id = due.merchant_account_id
   and p.id = due.id
returning p.*`,
  )

const claimAny = claimOf(dueProposals)
/** Another decision may have the row locked for a moment. */
const claimOne = claimOf({ ...dueProposals, waits: true })

const dueProposal: DueRows = {
  ...dueProposals,
  condition: (now, id = '') => `${dueProposals.condition(now)} and id = ${id}::uuid`,
}

/** Leases a proposal that is due, the one with this id or any, under the next attempt number. */
async function claimProposal(world: World, id?: string): Promise<ProposalRow | undefined> {
  const now = timeOf(world.clock)
  const leasedUntil = new Date(world.clock.now() + LEASE_MS).toISOString()
  const [due, claim, values] =
    id === undefined ? [dueProposals, claimAny, [now]] : [dueProposal, claimOne, [now, id]]
  const [row] = await claimDue(world.run, due, { values, limit: 1 }, (account, [ids], limit) =>
    claim.run<ProposalRow>(world, { account, ids, now, leasedUntil, limit }),
  )
  return row
}

/** Executes a proposal if it is due. */
export async function executeProposal(world: World, app: App, id: string): Promise<void> {
  const claimed = await claimProposal(world, id)
  if (claimed) await runAttempt(world, app, claimed)
}

/** Executes the proposals that are due. Answers how many there were. */
async function executeDueProposals(world: World, app: App, stopped: () => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    const claimed = stopped() ? undefined : await claimProposal(world)
    if (!claimed) return count
    await runAttempt(world, app, claimed).catch((error) =>
      world.log.error(
        { err: error, proposal: claimed.id },
        'a proposal could not be executed; it is tried again after its lease',
      ),
    )
  }
}

/** What an attempt has come to. */
type Result =
  | { kind: 'ended'; ending: Ending }
  /** The request may be accepted later. */
  | { kind: 'retry'; ending: Ending }

async function runAttempt(world: World, app: App, row: ProposalRow): Promise<void> {
  const hasEffect = row.attempt > 1 && (await findEffect(world, row)) !== undefined
  const result = hasEffect ? await resultOfEffect(world, app, row) : await sendRequest(world, app, row, true)
  await recordResult(world, row, result)
}

/** The change that an attempt has made, as the audit log has it. */
async function findEffect(
  { db }: Pick<World, 'db'>,
  { id }: Pick<ProposalRow, 'id'>,
): Promise<{ resource_id: string } | undefined> {
  const { rows } = await sql<{ resource_id: string }>`
    select resource_id
      from audit_entries
     where proposal_id = ${id}
     order by position, id
     limit 1`.execute(db)
  return rows[0]
}

/** Operations whose effect claims their idempotency key: sent again, they answer what they answered before. */
const keyedOperations: ReadonlySet<ApprovalOperation> = new Set([
  'refund',
  'forced_refund',
  'void',
  'capture',
  'payout',
])

/**
 * A request that claims its key is sent again while the key is remembered, for its answer, and for further parts
 * of a refund of everything. Any other is done.
 */
async function resultOfEffect(world: World, app: App, row: ProposalRow): Promise<Result> {
  const isKeyed = row.operations.some((operation) => keyedOperations.has(operation))
  return isKeyed && isPatient(world, row)
    ? sendRequest(world, app, row, false)
    : { kind: 'ended', ending: await endingOfEffect(world, row) }
}

const isPatient = ({ clock }: Pick<World, 'clock'>, { approved_at, created_at }: ProposalRow): boolean =>
  clock.now() < Date.parse(approved_at ?? created_at) + PATIENCE_MS

const endingOfEffect = async (world: World, row: ProposalRow): Promise<Ending> => ({
  status: 'executed',
  result: {
    status_code: null,
    resource_id: (await findEffect(world, row))?.resource_id ?? null,
    error: null,
  },
})

const failed = (message: string): Result => ({
  kind: 'ended',
  ending: {
    status: 'failed',
    result: { status_code: null, resource_id: null, error: { code: 'forbidden', message } },
  },
})

/** Sends the request as the requester, with the rights that the requester has now. */
async function sendRequest(
  world: World,
  app: App,
  row: ProposalRow,
  checksPreconditions: boolean,
): Promise<Result> {
  const caller = await requesterOf(world, row)
  if (!caller) return failed('The requester does not exist any more, or may not act')
  const { merchant_account_id: account, id, attempt, method, path } = row
  const inner: InnerRequest = {
    kind: 'execute',
    caller,
    proposal: { account, id, attempt },
    ...(checksPreconditions && { preconditions: row.preconditions }),
  }
  const request = { account, method, path, body: openBody(world, row), idempotencyKey: id }
  let answer = await sendInnerRequest(app, inner, request)
  // refused by its own statement, since another request came in between: the preconditions tell what changed
  if (checksPreconditions && answer.status === 409 && !inner.changes?.length)
    answer = await sendInnerRequest(app, inner, request)
  if (inner.changes && inner.changes.length > 0)
    return { kind: 'ended', ending: { status: 'stale', changes: inner.changes } }
  const ending = endingOf(world, row, answer, inner.answersCredential === true)
  return answer.isRetriable ? { kind: 'retry', ending } : { kind: 'ended', ending }
}

function endingOf(
  { cipher }: World,
  { merchant_account_id, id }: ProposalRow,
  { status, body }: InnerAnswer,
  answersCredential: boolean,
): Ending {
  const members = isJsonObject(body) ? body : {}
  const text = (name: string) => (typeof members[name] === 'string' ? members[name] : null)
  if (status < 300)
    return {
      status: 'executed',
      result: { status_code: status, resource_id: text('id'), error: null },
      ...(answersCredential && {
        answer: cipher.seal(
          'proposal-answer',
          JSON.stringify({ status_code: status, body: body ?? null }),
          `${merchant_account_id}/${id}`,
        ),
      }),
    }
  return {
    status: 'failed',
    result: {
      status_code: status,
      resource_id: null,
      error: { code: text('code') ?? 'server_error', message: text('message') ?? '' },
    },
  }
}

/**
 * Ends the proposal, or makes it due again, unless another process has taken it over. The row is locked first: a
 * change of this attempt commits before or is refused.
 */
async function recordResult(world: World, row: ProposalRow, { kind, ending }: Result): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const present = await lockProposal(db, row.merchant_account_id, row.id)
    if (present.attempt !== row.attempt || present.status !== 'executing') return
    if (kind === 'ended' && ending.status === 'executed') {
      await endProposal(db, world, present, ending)
      return
    }
    if (kind === 'retry' && isPatient(world, row)) {
      const due = new Date(world.clock.now() + backOffMs(row.attempt - 1, RETRY)).toISOString()
      await db
        .updateTable('proposals')
        .set({ status: 'approved', due_at: due, updated_at: timeOf(world.clock) })
        .where('merchant_account_id', '=', row.merchant_account_id)
        .where('id', '=', row.id)
        .execute()
      return
    }
    // an answer that tells of an error may come after the change was committed
    const effect = await findEffect({ db }, row)
    await endProposal(db, world, present, effect ? await endingOfEffect({ ...world, db }, row) : ending)
  })
}

/** Writes the status of proposals whose time is over, with their events. Answers how many it has written. */
async function expireProposals(world: World, stopped: () => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    if (stopped() || !(await expireNext(world))) return count
  }
}

const expirable: DueRows = {
  table: 'proposals',
  key: ['id'],
  condition: (now) => `status = 'pending' and expires_at <= ${now}::timestamptz`,
  orderBy: 'expires_at',
}

const lockExpirable = (account: string, ids: readonly string[], now: string) => sql<ProposalRow>`
  select *
    from proposals
   where merchant_account_id = ${account}
     and id = any(${ids}::uuid[])
     and status = 'pending'
     and expires_at <= ${now}::timestamptz
   limit 1
     for update skip locked`

async function expireNext(world: World): Promise<ProposalRow | undefined> {
  const now = timeOf(world.clock)
  const [expired] = await claimDue(world.run, expirable, { values: [now], limit: 1 }, (account, [ids = []]) =>
    world.db.transaction().execute(async (db) => {
      const [due] = (await lockExpirable(account, ids, now).execute(db)).rows
      return due ? [await endProposal(db, world, due, { status: 'expired' })] : []
    }),
  )
  return expired
}

/** Executes approved proposals, and expires pending ones. */
export const startProposals = (world: World, app: App): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(
      world,
      async (stopped) =>
        (await executeDueProposals(world, app, stopped)) + (await expireProposals(world, stopped)),
    ),
    (error) => world.log.error({ err: error }, 'due proposals could not be read; the next round tries again'),
  )
