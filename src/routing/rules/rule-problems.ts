import { Check, Errors } from 'typebox/value'
import { errorCodes, isErrorCode, retriableCodes } from '../../connectors/contract/error-codes.ts'
import type { Flow, FlowAction } from '../action.schema.ts'
import { bounds } from '../conditions/condition.schema.ts'
import { conditionProblems, isCondition, type Problems } from '../conditions/condition-problems.ts'
import {
  DeclineOutcome,
  OptionsOutcome,
  outcomes,
  type RouteAttempt,
  RouteOutcome,
} from './outcome.schema.ts'
import type { FlowRuleUpdate, Rule } from './rule.schema.ts'

/** The members of a payment service that decide whether a rule may name it. */
export interface RoutableService {
  id: string
  method: string
  deleted_at: unknown
}

/** A rule of a request, with its id. */
export type SentRule = FlowRuleUpdate & { id: string }

/** The actions of each flow (semantics §3.16). */
const actionsByFlow: Readonly<Record<Flow, readonly FlowAction[]>> = {
  checkout: ['select-payment-options'],
  'card-transaction': ['route-transaction', 'skip-3ds', 'decline-early'],
  'non-card-transaction': ['decline-early'],
  'redirect-transaction': ['route-transaction'],
}

/**
 * The problems of a rule, by JSON pointer. Empty: it can be evaluated in bounded time, and every payment
 * service that it names exists.
 */
export function ruleProblems(
  flow: Flow,
  rule: SentRule,
  services: readonly RoutableService[],
  pointer = '',
): Problems {
  const { action, condition, outcome = {} } = rule
  if (!actionsByFlow[flow].includes(action))
    return { [`${pointer}/action`]: `must be one of the flow’s: ${actionsByFlow[flow].join(', ')}` }
  const wrong = {
    ...conditionProblems(condition, `${pointer}/condition`),
    ...outcomeProblems(flow, action, outcome, services, `${pointer}/outcome`),
  }
  if (Object.keys(wrong).length > 0) return wrong
  return Buffer.byteLength(JSON.stringify(rule)) > bounds.ruleBytes
    ? { [pointer || '/']: `may have ${bounds.ruleBytes} bytes at most` }
    : {}
}

/** The rule with its types; undefined if it has problems. */
export function toRule({
  id,
  display_name,
  active = true,
  action,
  condition,
  outcome = {},
}: SentRule): Rule | undefined {
  if (!isCondition(condition)) return undefined
  const common = { id, display_name, active, condition }
  // separate returns, so that each outcome has the type of its action
  if (action === 'route-transaction')
    return Check(RouteOutcome, outcome) ? { ...common, action, outcome } : undefined
  if (action === 'decline-early')
    return Check(DeclineOutcome, outcome) ? { ...common, action, outcome } : undefined
  if (action === 'select-payment-options')
    return Check(OptionsOutcome, outcome) ? { ...common, action, outcome } : undefined
  return { ...common, action, outcome: {} }
}

function outcomeProblems(
  flow: Flow,
  action: FlowAction,
  outcome: unknown,
  services: readonly RoutableService[],
  pointer: string,
): Problems {
  const misshapen = Errors(outcomes[action], outcome)
  if (misshapen.length > 0)
    return Object.fromEntries(
      misshapen.slice(0, 20).map((error) => [`${pointer}${error.instancePath}`, error.message]),
    )
  if (action === 'route-transaction' && Check(RouteOutcome, outcome))
    return routeProblems(flow, outcome, services, pointer)
  if (
    action === 'select-payment-options' &&
    Check(OptionsOutcome, outcome) &&
    !outcome.methods &&
    !outcome.required_fields
  )
    return { [pointer]: 'must have methods or required_fields' }
  return {}
}

function routeProblems(
  flow: Flow,
  { attempts, split, retries }: RouteOutcome,
  services: readonly RoutableService[],
  pointer: string,
): Problems {
  if ((attempts === undefined) === (split === undefined))
    return { [pointer]: 'must have either attempts or split' }
  const shares = split ?? []
  const sum = shares.reduce((total, { percent }) => total + hundredths(percent), 0)
  const tooPrecise = shares.findIndex(({ percent }) => Math.abs(percent * 100 - hundredths(percent)) > 1e-6)
  return {
    ...attemptProblems(flow, attempts ?? [], services, `${pointer}/attempts`),
    ...Object.assign(
      {},
      ...shares.map((share, index) =>
        attemptProblems(flow, share.attempts, services, `${pointer}/split/${index}/attempts`),
      ),
    ),
    ...(split && sum !== 10_000 && { [`${pointer}/split`]: 'must have percentages that sum to 100' }),
    ...(tooPrecise >= 0 && { [`${pointer}/split/${tooPrecise}/percent`]: 'may have two decimals at most' }),
    ...Object.fromEntries(
      (retries?.on ?? []).flatMap((code, index) =>
        isErrorCode(code) && errorCodes[code].retriable
          ? []
          : [
              [
                `${pointer}/retries/on/${index}`,
                `must be an error code that another payment service is tried after: ${retriableCodes.join(', ')}`,
              ],
            ],
      ),
    ),
  }
}

/** Hundredths of a percent, so that shares add up exactly. */
export const hundredths = (percent: number): number => Math.round(percent * 100)

function attemptProblems(
  flow: Flow,
  attempts: readonly RouteAttempt[],
  services: readonly RoutableService[],
  pointer: string,
): Problems {
  const seen = new Set<string>()
  return Object.fromEntries(
    attempts.flatMap(({ payment_service_id: id, instrument = null }, index) => {
      const twice = seen.has(`${id} ${instrument}`)
      seen.add(`${id} ${instrument}`)
      if (twice) return [[`${pointer}/${index}`, 'is there twice']]
      if (instrument && flow !== 'card-transaction')
        return [[`${pointer}/${index}/instrument`, 'is for cards']]
      const problem = serviceProblem(
        flow,
        services.find((service) => service.id === id),
      )
      return problem ? [[`${pointer}/${index}/payment_service_id`, problem]] : []
    }),
  )
}

function serviceProblem(flow: Flow, service: RoutableService | undefined): string | undefined {
  if (!service || service.deleted_at) return 'is not a payment service of this account'
  const isForCards = service.method === 'card'
  return isForCards === (flow === 'card-transaction')
    ? undefined
    : `takes ${service.method}, which this flow does not route`
}
