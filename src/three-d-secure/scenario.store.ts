import type { Selectable } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { throwProblems } from '../api/throw-problems.ts'
import { timeOf } from '../base/clock.ts'
import { maskCardNumber } from '../connectors/wire/redact.ts'
import {
  type AuditAction,
  type AuditedChange,
  changeWithAudit,
  recordChange,
} from '../database/logs/audit-log.ts'
import { deleteRow } from '../database/rows/delete-row.ts'
import { lockRow } from '../database/rows/lock-row.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { ThreeDSecureScenarioTable } from '../database/tables/services.ts'
import { cardFingerprint, currentFingerprint } from '../vault/cards/card-fingerprint.ts'
import type { World } from '../world.ts'
import type {
  ScenarioConditions,
  ThreeDSScenario,
  ThreeDSScenarioCreate,
  ThreeDSScenarioUpdate,
} from './scenario.schema.ts'
import {
  bestScenario,
  type PaymentForScenario,
  type Scenario,
  scenarioProblems,
  withAllConditions,
} from './scenario.ts'

export type ScenarioRow = Selectable<ThreeDSecureScenarioTable>

/**
 * The scenario of the sandbox for this payment (semantics §7.3). Undefined: none fits, or this is production.
 */
export async function matchScenario(
  world: World,
  account: string,
  payment: PaymentForScenario,
): Promise<Scenario | undefined> {
  if (world.settings.environment !== 'sandbox') return undefined
  const scenarios = await world.cache.get('three_d_secure', `scenarios/${account}`, async () =>
    (await allRows(world, account)).map((row) => ({
      ...toScenario(row),
      card_fingerprint: currentFingerprint(world, account, row.card_fingerprint),
    })),
  )
  return bestScenario(scenarios, {
    ...payment,
    fingerprint: currentFingerprint(world, account, payment.fingerprint),
  })
}

const allRows = (world: World, account: string): Promise<ScenarioRow[]> =>
  world.db
    .selectFrom('three_d_secure_scenarios')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** A page of the scenarios, the newest first. */
export const listScenarios = (world: World, account: string, page: PageRequest): Promise<ScenarioRow[]> =>
  world.db
    .selectFrom('three_d_secure_scenarios')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$call(newestFirst(page))
    .execute()

/** Throws 400 if a rule is broken. */
export async function insertScenario(
  world: World,
  account: string,
  { conditions, outcome }: ThreeDSScenarioCreate,
): Promise<ThreeDSScenario> {
  throwProblems(scenarioProblems({ conditions, outcome }))
  const now = timeOf(world.clock)
  const insert = (db: World['db']) =>
    db
      .insertInto('three_d_secure_scenarios')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        ...conditionColumns(world, account, conditions),
        outcome: JSON.stringify(outcome),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const row = await changeWithAudit(world, insert, (created) => scenarioChange('created', created))
  world.changes.invalidate('three_d_secure')
  return showScenario(row)
}

/**
 * Replaces the conditions, the outcome, or both, each as a whole. Undefined: the account has no such
 * scenario. Throws as `insertScenario`.
 */
export async function updateScenario(
  world: World,
  account: string,
  id: string,
  update: ThreeDSScenarioUpdate,
): Promise<ThreeDSScenario | undefined> {
  const { conditions, outcome } = update
  const row = await world.db.transaction().execute(async (db) => {
    const current = await lockRow(db, 'three_d_secure_scenarios', account, id)
    if (!current) return undefined
    const before = toScenario(current)
    throwProblems(scenarioProblems(update, before.conditions.card_number))
    const columns = {
      ...(conditions && conditionColumns(world, account, conditions, before)),
      ...(outcome && { outcome: JSON.stringify(outcome) }),
    }
    const updated = await writeChanges(db, 'three_d_secure_scenarios', current, columns, timeOf(world.clock))
    if (updated) await recordChange(db, world, scenarioChange('updated', updated))
    return updated ?? current
  })
  if (!row) return undefined
  world.changes.invalidate('three_d_secure')
  return showScenario(row)
}

/** False: the account has no such scenario. */
export async function deleteScenario(world: World, account: string, id: string): Promise<boolean> {
  const remove = (db: World['db']) => deleteRow(db, 'three_d_secure_scenarios', account, id)
  const row = await changeWithAudit(world, remove, (removed) => scenarioChange('deleted', removed))
  if (row) world.changes.invalidate('three_d_secure')
  return row !== undefined
}

const scenarioChange = (action: AuditAction, { merchant_account_id, id }: ScenarioRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'three-d-secure-scenario', id, name: null },
})

/**
 * The card number itself is not stored: payments are compared by its fingerprint, and people recognize a card
 * by its first and last digits.
 */
function conditionColumns(world: World, account: string, input: ScenarioConditions, before?: Scenario) {
  const conditions = withAllConditions(input)
  const { card_number: number } = conditions
  if (number === null || number === before?.conditions.card_number)
    return {
      conditions: JSON.stringify(conditions),
      card_fingerprint: number === null ? null : (before?.card_fingerprint ?? null),
    }
  return {
    conditions: JSON.stringify({ ...conditions, card_number: maskCardNumber(number) }),
    card_fingerprint: cardFingerprint(world, account, number),
  }
}

/** The columns are written from scenarios only. */
const toScenario = ({ id, conditions, card_fingerprint, outcome }: ScenarioRow): Scenario => ({
  id,
  conditions: withAllConditions(conditions),
  card_fingerprint,
  outcome: outcome as Scenario['outcome'],
})

/** As the API shows it: every member is present, null for a condition that the scenario does not have. */
export function showScenario(row: ScenarioRow): ThreeDSScenario {
  const { id, conditions, outcome } = toScenario(row)
  return {
    type: 'three-d-secure-scenario',
    id,
    merchant_account_id: row.merchant_account_id,
    conditions,
    outcome: {
      version: outcome.version ?? null,
      authentication: outcome.authentication,
      result: outcome.result ?? null,
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
