import { isJsonObject } from '../../api/values/json-object.ts'
import { timestamp } from '../../database/timestamp.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import { readTimelineEntries } from '../../operations/journal/read-timeline.ts'
import { isPaymentKind } from '../../operations/operation.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'
import { compileRuleset } from '../../routing/live-rules.ts'
import { isOfFlow, replayableFlows, replayPayment } from '../../routing/replay/replay.ts'
import { pagesOf, type RecordedPayment } from '../../routing/replay/replay-source.ts'
import type { ReplayDecision } from '../../routing/replay/replay-tally.ts'
import { findRuleset } from '../../routing/rules/ruleset.store.ts'
import type { World } from '../../world.ts'
import { readTransaction } from '../transaction.store.ts'
import type { RoutingDecision, RoutingDraft } from './routing-decision.schema.ts'

type RuleDecision = RoutingDecision['decisions'][number]
type Step = RuleDecision['steps'][number]
type Skip = RuleDecision['skipped'][number]
type Named = { payment_service_id: string; payment_service_display_name: string | null }
/** Adds the name of a payment service, which stored decisions lack because it may change. */
type Naming = (id: string) => Named

const namingOf = async (world: World, account: string): Promise<Naming> => {
  const services = await paymentServices(world, account)
  return (id) => ({
    payment_service_id: id,
    payment_service_display_name: services.find((service) => service.id === id)?.display_name ?? null,
  })
}

/** Why a payment went to its payment services. Throws 404 if the account has no such payment. */
export async function readRoutingDecision(
  world: World,
  account: string,
  id: string,
): Promise<RoutingDecision> {
  const transaction = await readTransaction(world, account, id)
  const operations = await readOperations(world, account, id)
  const name = await namingOf(world, account)
  const entries = await readTimelineEntries(world, account, id, operations)
  const decisions = (transaction.actions ?? []).map((action) => showDecision(action, name))
  const routes = decisions.filter(({ action }) => action === 'route-transaction')
  const ruleOf = (at: string) =>
    routes.findLast(({ decided_at }) => decided_at <= at)?.rule_id ?? routes[0]?.rule_id ?? null
  return {
    type: 'routing-decision',
    transaction_id: id,
    named_payment_service: transaction.details.payment_service_id != null,
    decisions,
    eligible: transaction.eligible?.map(name) ?? null,
    skipped: [
      ...decisions.flatMap(({ skipped }) => skipped),
      ...entries
        .filter((entry) => entry.name === 'payment-services-skipped')
        .flatMap(({ context }) => skipsOf(context['skipped'], name)),
    ],
    attempts: operations
      .filter(({ kind }) => isPaymentKind(kind) || kind === 'approval')
      .flatMap((operation) => {
        const { payment_service_id: service, created_at } = operation
        return service === null
          ? []
          : {
              operation_id: operation.id,
              ...name(service),
              status: operation.status,
              error_code: operation.error_code,
              attempted_at: timestamp(created_at),
              rule_id: ruleOf(timestamp(created_at)),
            }
      }),
  }
}

function showDecision(action: TransactionAction, name: Naming): RuleDecision {
  const { outcome } = action
  const rule = membersOf(outcome['rule'])
  const { version } = rule
  return {
    action: action.id,
    flow: action.flow,
    rule_id: action.rule_id,
    rule_display_name: textOf(rule['name']),
    rule_version: typeof version === 'number' ? version : null,
    decided_at: timestamp(action.created_at),
    because: listOf(outcome['because']),
    steps: listOf(outcome['result']).flatMap((step): Step[] => {
      const id = textOf(step['payment_service_id'])
      return id === null ? [] : [{ ...name(id), instrument: textOf(step['instrument']) }]
    }),
    skipped: skipsOf(outcome['skipped'], name),
  }
}

const skipsOf = (skipped: unknown, name: Naming): Skip[] =>
  listOf(skipped).flatMap((skip) => {
    const id = textOf(skip['payment_service_id'])
    return id === null ? [] : [{ ...name(id), reason: textOf(skip['reason']) ?? '' }]
  })

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const membersOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

/** What the drafts of an account's rules would have decided on a payment. Throws 404 if there is none. */
export async function decideByDraft(world: World, account: string, id: string): Promise<RoutingDraft> {
  const { created_at, actions } = await readTransaction(world, account, id)
  const payment = await recordedPayment(world, account, id, created_at)
  const leftOut = leftOutReason(payment)
  const answer = { type: 'routing-draft', transaction_id: id, left_out: leftOut } as const
  if (!payment || leftOut !== null) return { ...answer, items: [] }
  const name = await namingOf(world, account)
  const namesThen = (actions ?? []).map(
    ({ rule_id, outcome }) => [rule_id, textOf(membersOf(outcome['rule'])['name'])] as const,
  )
  const items: RoutingDraft['items'] = []
  for (const flow of replayableFlows.filter((each) => isOfFlow(payment, each))) {
    const ruleset = await findRuleset(world, { account, flow }, 'draft')
    if (!ruleset) continue
    const { before, after } = replayPayment(compileRuleset(ruleset), flow, payment)
    const namesNow = ruleset.rules.map((rule) => [rule.id, rule.display_name] as const)
    items.push({
      flow,
      version: ruleset.version,
      differs: isOtherwise(before, after),
      before: showDecided(before, name, new Map(namesThen)),
      draft: showDecided(after, name, new Map([...namesThen, ...namesNow])),
    })
  }
  return { ...answer, items }
}

async function recordedPayment(
  world: World,
  account: string,
  id: string,
  createdAt: string,
): Promise<RecordedPayment | undefined> {
  for await (const payments of pagesOf(world, { account, from: createdAt, to: createdAt })) {
    const payment = payments.find((each) => each.id === id)
    if (payment) return payment
  }
  return undefined
}

function leftOutReason(payment: RecordedPayment | undefined): RoutingDraft['left_out'] {
  if (!payment) return 'renewal'
  if (payment.namesService) return 'named'
  return payment.corrected ? 'corrected' : null
}

const showDecided = (
  { declined, skipsThreeDSecure, steps, rules }: ReplayDecision,
  name: Naming,
  names: ReadonlyMap<string, string | null>,
) => ({
  declined,
  skips_three_d_secure: skipsThreeDSecure,
  steps:
    steps?.map(({ payment_service_id, instrument }) => ({ ...name(payment_service_id), instrument })) ?? null,
  rules: Object.entries(rules).map(([action, rule_id]) => ({
    action: action as RuleDecision['action'],
    rule_id,
    display_name: names.get(rule_id) ?? null,
  })),
})

/** Which rule decides is no difference, as long as it decides the same. */
const isOtherwise = (before: ReplayDecision, after: ReplayDecision): boolean =>
  before.declined !== after.declined ||
  before.skipsThreeDSecure !== after.skipsThreeDSecure ||
  JSON.stringify(before.steps) !== JSON.stringify(after.steps)
