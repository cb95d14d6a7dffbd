import { createHash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { changedMeanwhile, invalid, notFound } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { currentRequest } from '../../api/request/request-context.ts'
import type { ApprovalTarget } from '../../api/values/approval-target.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'
import { timeOf } from '../../base/clock.ts'
import { type AuditAction, changeWithAudit, recordChange } from '../../database/logs/audit-log.ts'
import { isSame } from '../../database/rows/would-change.ts'
import type { FlowRulesetTable } from '../../database/tables/services.ts'
import type { Tables } from '../../database/tables.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import type { Flow } from '../action.schema.ts'
import { bounds } from '../conditions/condition.schema.ts'
import { type RoutableService, ruleProblems } from './rule-problems.ts'

export type RulesetRow = Selectable<FlowRulesetTable>
export type StoredRule = RulesetRow['rules'][number]

/** The account and the flow of a set of rules. */
export interface FlowKey {
  account: string
  flow: Flow
}

const rulesets = (db: Kysely<Tables>, { account, flow }: FlowKey) =>
  db
    .selectFrom('flow_rulesets')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('flow', '=', flow)

/** The draft, the live version, or a version by its number; undefined if there is none. */
export const findRuleset = (
  { db }: Pick<World, 'db'>,
  key: FlowKey,
  which: 'draft' | 'live' | number,
): Promise<RulesetRow | undefined> =>
  rulesets(db, key)
    .$if(typeof which === 'number', (query) => query.where('version', '=', Number(which)))
    .$if(which === 'draft' || which === 'live', (query) =>
      query.where('state', '=', which === 'draft' ? 'draft' : 'live'),
    )
    .executeTakeFirst()

/** Newest first. */
export function listRulesets(
  { db }: Pick<World, 'db'>,
  key: FlowKey,
  { limit, position }: PageRequest,
): Promise<RulesetRow[]> {
  const backwards = position?.direction === 'previous'
  return rulesets(db, key)
    .$if(position !== undefined, (query) =>
      query.where('version', backwards ? '>' : '<', Number(position?.key)),
    )
    .orderBy('version', backwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
}

/** An edit as the audit log records it; without a rule it concerns all rules of the flow. */
export interface RuleEdit {
  action: AuditAction
  rule?: { id: string; display_name: string | null }
  /** The name of the change, if it is not a plain edit of the draft. */
  name?: string
}

const ruleChange = ({ account, flow }: FlowKey, { action, rule, name }: RuleEdit) => ({
  account,
  action,
  resource: { type: 'rule', id: rule?.id ?? flow, name: rule ? rule.display_name : (name ?? 'draft') },
})

/**
 * Changes the draft, which begins as a copy of the live version. Edits of an account wait for each other, so
 * none is lost. Throws 400 if the changed rules have problems; `pointerOf` returns the JSON pointer of the
 * rule at an index in the body, undefined if an earlier request brought the rule.
 */
export async function editDraft(
  world: World,
  key: FlowKey,
  change: (rules: readonly StoredRule[]) => StoredRule[],
  pointerOf: (index: number, rule: StoredRule) => string | undefined,
  edit: RuleEdit = { action: 'updated' },
): Promise<RulesetRow> {
  return world.db.transaction().execute(async (db) => {
    await lockAccountRules(db, key)
    const now = timeOf(world.clock)
    const draft = await findRuleset({ db }, key, 'draft')
    const rules = change((draft ?? (await findRuleset({ db }, key, 'live')))?.rules ?? [])
    if (draft && isSame(rules, draft.rules)) return draft
    if (rules.length > bounds.rules) throw invalid({ '/items': `may be ${bounds.rules} rules at most` })
    const services = await routableServices(db, key)
    // rules of earlier requests are checked again when the draft is published
    throwProblems(
      rules.flatMap((rule, index) => problemsAt(key.flow, rule, services, pointerOf(index, rule))),
    )
    await recordChange(db, world, ruleChange(key, edit))
    const values = { rules: JSON.stringify(rules), updated_at: now }
    if (draft)
      return db
        .updateTable('flow_rulesets')
        .set(values)
        .where('merchant_account_id', '=', key.account)
        .where('flow', '=', key.flow)
        .where('state', '=', 'draft')
        .returningAll()
        .executeTakeFirstOrThrow()
    return insertVersion(db, key, { ...values, state: 'draft', created_at: now, published_at: null })
  })
}

/** Deletes the draft; false if there was none. */
export async function dropDraft(world: World, { account, flow }: FlowKey): Promise<boolean> {
  const drop = async (db: Kysely<Tables>) => {
    await lockAccountRules(db, { account, flow })
    return db
      .deleteFrom('flow_rulesets')
      .where('merchant_account_id', '=', account)
      .where('flow', '=', flow)
      .where('state', '=', 'draft')
      .returning('version')
      .executeTakeFirst()
  }
  const row = await changeWithAudit(world, drop, ({ version }) =>
    ruleChange({ account, flow }, { action: 'deleted', name: `draft, version ${version}` }),
  )
  return row !== undefined
}

/** On what the approval of a publication depends. The hash tells two edits of one millisecond apart. */
export async function publicationPreconditions(
  store: Pick<World, 'db'>,
  key: FlowKey,
): Promise<ApprovalTarget['preconditions']> {
  const draft = await findRuleset(store, key, 'draft')
  const live = await findRuleset(store, key, 'live')
  return {
    live_version: live?.version ?? null,
    draft_version: draft?.version ?? null,
    draft_updated_at: draft ? timestamp(draft.updated_at) : null,
    draft_hash: draft ? createHash('sha256').update(canonicalJson(draft.rules)).digest('hex') : null,
  }
}

/** Throws 409 if an approved proposal is executed, and the rules are not those that were approved. */
async function refuseUnapprovedRules(store: Pick<World, 'db'>, key: FlowKey): Promise<void> {
  const approved = currentRequest()?.approvedPreconditions
  if (approved && !isSame(approved, await publicationPreconditions(store, key)))
    throw changedMeanwhile('The rules are not those that were approved')
}

export interface Publication {
  /** Absent: the draft. An earlier version becomes live again as a new version. */
  version?: number | null
  /** The version that the client believes to be live, 0 for none; absent: any. */
  expected_version?: number | null
}

/**
 * Makes rules live: a draft only if everything that it names still exists, an earlier version as it was.
 * Payments in progress keep the decisions that were made for them.
 */
export async function publishRules(
  world: World,
  key: FlowKey,
  { version, expected_version: expected }: Publication,
): Promise<RulesetRow> {
  const row = await world.db.transaction().execute(async (db) => {
    await lockAccountRules(db, key)
    // once more, under the lock that edits wait for
    await refuseUnapprovedRules({ db }, key)
    const now = timeOf(world.clock)
    const live = await findRuleset({ db }, key, 'live')
    if (typeof expected === 'number' && expected !== (live?.version ?? 0))
      throw changedMeanwhile(`Version ${live?.version ?? 0} is live`)
    const selected = await findRuleset({ db }, key, version ?? 'draft')
    if (!selected)
      throw typeof version === 'number'
        ? invalid({ '/version': 'is not a version of this flow' })
        : notFound('There is no draft of this flow')
    if (selected.state === 'live') return selected
    // going back to an earlier version must always work: a payment service that no longer exists takes no
    // payment, and decisions say so
    if (selected.state === 'draft') {
      const services = await routableServices(db, key)
      throwProblems(
        selected.rules.flatMap((rule, index) => problemsAt(key.flow, rule, services, `/items/${index}`)),
      )
    }
    const published = { action: 'updated', name: `published version ${selected.version}` } as const
    await recordChange(db, world, ruleChange(key, published))
    if (live) await changeState(db, key, live.version, { state: 'retired', updated_at: now })
    if (selected.state === 'draft')
      return changeState(db, key, selected.version, { state: 'live', updated_at: now, published_at: now })
    return insertVersion(db, key, {
      rules: JSON.stringify(selected.rules),
      state: 'live',
      created_at: now,
      updated_at: now,
      published_at: now,
    })
  })
  world.changes.invalidate('flow_rules')
  return row
}

/** Serializes changes to an account's rules. Payments only reference the account and do not wait. */
const lockAccountRules = (db: Kysely<Tables>, { account }: FlowKey) =>
  db.selectFrom('merchant_accounts').select('id').where('id', '=', account).forNoKeyUpdate().execute()

const routableServices = (db: Kysely<Tables>, { account }: FlowKey): Promise<RoutableService[]> =>
  db
    .selectFrom('payment_services')
    .select(['id', 'method', 'deleted_at'])
    .where('merchant_account_id', '=', account)
    .execute()

const problemsAt = (
  flow: Flow,
  rule: StoredRule,
  services: readonly RoutableService[],
  pointer: string | undefined,
) => (pointer === undefined ? [] : Object.entries(ruleProblems(flow, rule, services, pointer)))

const MAX_PROBLEMS = 100

function throwProblems(problems: readonly [string, string][]): void {
  if (problems.length > 0) throw invalid(Object.fromEntries(problems.slice(0, MAX_PROBLEMS)))
}

async function insertVersion(
  db: Kysely<Tables>,
  { account, flow }: FlowKey,
  values: {
    rules: string
    state: RulesetRow['state']
    created_at: string
    updated_at: string
    published_at: string | null
  },
): Promise<RulesetRow> {
  const { latest } = await db
    .selectFrom('flow_rulesets')
    .select(({ fn }) => fn.max('version').as('latest'))
    .where('merchant_account_id', '=', account)
    .where('flow', '=', flow)
    .executeTakeFirstOrThrow()
  return db
    .insertInto('flow_rulesets')
    .values({ merchant_account_id: account, flow, version: (latest ?? 0) + 1, ...values })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const changeState = (
  db: Kysely<Tables>,
  { account, flow }: FlowKey,
  version: number,
  values: { state: RulesetRow['state']; updated_at: string; published_at?: string },
): Promise<RulesetRow> =>
  db
    .updateTable('flow_rulesets')
    .set(values)
    .where('merchant_account_id', '=', account)
    .where('flow', '=', flow)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirstOrThrow()
