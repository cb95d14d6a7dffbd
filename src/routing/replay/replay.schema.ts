import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { Flow, FlowAction } from '../action.schema.ts'
import { FlowRulesReplace } from '../rules/rule.schema.ts'
import { decisionChanges } from './replay-tally.ts'

/** The number of transactions that are replayed by default. */
export const DEFAULT_TRANSACTIONS = 10_000

/** The rules to replay (`rules`, `state` or `version`; by default the draft), and the transactions. */
export const FlowRulesReplayCreate = Closed('FlowRulesReplayCreate', {
  rules: Type.Optional(Described(FlowRulesReplace.properties.items, 'Rules that are saved nowhere')),
  state: Type.Optional(Words('draft', 'live')),
  version: Type.Optional(
    Described(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      'A version of the flow, also a retired one',
    ),
  ),
  transactions: Type.Optional(
    Described(
      Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      `How many of the last transactions; absent: ${DEFAULT_TRANSACTIONS.toLocaleString('en-US')}`,
    ),
  ),
  from: Type.Optional(Nullable(Described(Timestamp, 'Created then or later'))),
  to: Type.Optional(Nullable(Described(Timestamp, 'Created then or before'))),
})
export type FlowRulesReplayCreate = Static<typeof FlowRulesReplayCreate>

const Count = Type.Integer({ minimum: 0 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const IntervalShape = Closed('ReplayInterval', { low: Type.Number(), high: Type.Number() })

const Rate = Closed('ReplayRate', {
  value: Type.Number(),
  interval: Described(IntervalShape, 'Holds the true one with 95 % confidence'),
})

const Segment = {
  scheme: Nullable(Described(Type.String(), 'Of the card; null: it is not paid by card')),
  method: Nullable(Described(Type.String(), 'Where it is not paid by card')),
  currency: Type.String(),
  merchant_initiated: Type.Boolean(),
}

const Untried = Closed('ReplayUntriedPair', {
  ...Segment,
  payment_service_id: Nullable(
    Described(
      Uuid,
      'Null: such payments were declined early, and Railyard did not look which payment service could have taken them',
    ),
  ),
  transactions: Count,
  share: Described(Share, 'Of the first attempts'),
})

const Thin = Closed('ReplayThinPair', {
  ...Segment,
  payment_service_id: Uuid,
  transactions: Count,
  share: Share,
  tried: Count,
})

const NotEstimable = Closed('ReplayNotEstimable', {
  transactions: Count,
  share: Share,
  pairs: Described(Type.Array(Untried), 'The largest ones'),
})

const ThinTries = Closed('ReplayThin', {
  tries_below: Count,
  transactions: Count,
  share: Share,
  pairs: Described(Type.Array(Thin), 'The largest ones'),
})

const Expected = Closed('ReplayExpectedApproval', {
  attempts: Described(Count, 'Payments that some payment service is asked for'),
  estimable: Described(Count, 'Those of them whose payment service was tried with payments of their segment'),
  rate: Nullable(Described(Rate, 'Of the estimable ones; null: there are none')),
  bounds: Nullable(
    Described(
      IntervalShape,
      'Of all attempts, if none and if all of those that are not estimable are approved; null: there are no attempts',
    ),
  ),
  not_estimable: NotEstimable,
  thin: ThinTries,
})

const Approval = Closed('ReplayApproval', {
  segment: Described(Type.Array(Type.String()), 'What payments have in common whose approval is compared'),
  before: Expected,
  after: Expected,
  change: Nullable(
    Described(Rate, 'Over the payments that are attempted and estimable both ways; null: there are none'),
  ),
})

const ShareOf = Closed('ReplayShare', { attempts: Count, share: Share })

const ServiceShare = Closed('ReplayServiceShare', {
  payment_service_id: Uuid,
  display_name: Nullable(Type.String()),
  before: ShareOf,
  after: ShareOf,
})

const Decided = Closed('ReplayDecision', {
  declined_early: Nullable(Described(Type.String(), 'The error code; null: it is not declined early')),
  three_d_secure_skipped: Type.Boolean(),
  payment_services: Nullable(
    Described(
      Type.Array(Uuid),
      'In the order of trying; null: not known, as it was declined before anybody looked',
    ),
  ),
  rules: Type.Array(Closed('ReplayDecidingRule', { action: FlowAction, rule_id: Uuid })),
})

const ReplayExample = Closed('ReplayExample', {
  transaction_id: Uuid,
  change: Words(...decisionChanges),
  before: Decided,
  after: Decided,
})

const RuleUse = Closed('ReplayRuleUse', {
  rule_id: Uuid,
  display_name: Nullable(Described(Type.String(), 'Null: the rule is not among those replayed')),
  action: FlowAction,
  before: Count,
  after: Count,
})

const Decisions = Closed('ReplayDecisions', {
  total: Count,
  unchanged: Count,
  moved: Described(Count, 'Another payment service is asked first'),
  newly_declined_early: Count,
  no_longer_declined_early: Count,
  newly_without_service: Described(Count, 'Nobody may take it any more'),
  no_longer_without_service: Count,
  changed_otherwise: Described(
    Count,
    'The same payment service first, and another one after it, another instrument, or 3-D Secure otherwise',
  ),
  three_d_secure: Closed('ReplayThreeDSecure', { newly_skipped: Count, no_longer_skipped: Count }),
  rules: Type.Array(RuleUse),
})

/** The changes that the rules would have made. */
export const FlowRulesReplay = Closed('FlowRulesReplay', {
  type: Type.Literal('flow-rules-replay'),
  flow: Flow,
  rules: Closed('ReplayedRules', {
    state: Words('inline', 'draft', 'live', 'retired'),
    version: Nullable(Type.Integer()),
  }),
  transactions: Closed('ReplayedTransactions', {
    replayed: Count,
    left_out: Closed('ReplayLeftOut', {
      named: Described(Count, 'The request named the payment service: no rule had a say'),
      corrected: Described(Count, 'Their amount or metadata was corrected since: what rules saw is gone'),
    }),
    oldest: Nullable(Timestamp),
    newest: Nullable(Timestamp),
  }),
  decisions: Decisions,
  payment_services: Described(Type.Array(ServiceShare), 'Who is asked first'),
  approval: Approval,
  examples: Type.Array(ReplayExample),
})
export type FlowRulesReplay = Static<typeof FlowRulesReplay>
