import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Open, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { operationStatuses } from '../../operations/operation.ts'
import { Flow, FlowAction } from '../../routing/action.schema.ts'

const service = {
  payment_service_id: Uuid,
  payment_service_display_name: Nullable(Type.String()),
}

const RoutingStep = Closed('RoutingStep', {
  ...service,
  instrument: Nullable(
    Described(Type.String(), 'What the payment service gets of a stored card; null: the best that there is'),
  ),
})

const RoutingSkip = Closed('RoutingSkip', {
  ...service,
  reason: Described(Type.String(), 'Why it was skipped'),
})

const RuleDecision = Closed('RoutingRuleDecision', {
  action: FlowAction,
  flow: Flow,
  rule_id: Uuid,
  rule_display_name: Nullable(Type.String()),
  rule_version: Nullable(Described(Type.Integer(), 'The version of the flow’s rules')),
  decided_at: Timestamp,
  because: Described(Type.Array(Open), 'The conditions that matched'),
  steps: Described(Type.Array(RoutingStep), 'The payment services to try, in order'),
  skipped: Described(Type.Array(RoutingSkip), 'The payment services of the rule that were left out'),
})

const RoutingAttempt = Closed('RoutingAttempt', {
  operation_id: Uuid,
  ...service,
  status: Words(...operationStatuses),
  error_code: Nullable(Type.String()),
  attempted_at: Timestamp,
  rule_id: Nullable(Described(Uuid, 'The rule that led to it; null: no rule matched')),
})

export const RoutingDecision = Closed('RoutingDecision', {
  type: Type.Literal('routing-decision'),
  transaction_id: Uuid,
  named_payment_service: Described(
    Type.Boolean(),
    'The request named its payment service, so that no rule routed the payment',
  ),
  decisions: Described(Type.Array(RuleDecision), 'What rules decided, the oldest first'),
  eligible: Nullable(
    Described(
      Type.Array(Closed('RoutingService', service)),
      'The payment services that could take it, in the order without a rule; null: there was no choice',
    ),
  ),
  skipped: Described(
    Type.Array(RoutingSkip),
    'The payment services that were not tried, by rules or without',
  ),
  attempts: Described(Type.Array(RoutingAttempt), 'The attempts to take the money, the oldest first'),
})
export type RoutingDecision = Static<typeof RoutingDecision>

const Decided = {
  declined: Nullable(
    Described(Type.String(), 'The error code with which rules decline it early; null: they do not'),
  ),
  skips_three_d_secure: Type.Boolean(),
  steps: Nullable(
    Described(
      Type.Array(RoutingStep),
      'The payment services to try, in order; null: unknown, as the payment was declined before they were',
    ),
  ),
  rules: Type.Array(
    Closed('RoutingDecidingRule', {
      action: FlowAction,
      rule_id: Uuid,
      display_name: Nullable(Type.String()),
    }),
  ),
}

const DraftDecision = Closed('RoutingDraftDecision', {
  flow: Flow,
  version: Described(Type.Integer(), 'The version that the draft will be'),
  differs: Described(Type.Boolean(), 'Whether the draft decides otherwise'),
  before: Described(Closed('RoutingDecided', Decided), 'What was decided when the payment was created'),
  draft: Described(Closed('RoutingDraftDecided', Decided), 'What the draft would have decided'),
})

export const RoutingDraft = Closed('RoutingDraft', {
  type: Type.Literal('routing-draft'),
  transaction_id: Uuid,
  left_out: Nullable(
    Described(
      Words('renewal', 'named', 'corrected'),
      'Why it is not decided again: it renewed an authorization, its request named the payment service, or its amount or metadata was corrected',
    ),
  ),
  items: Described(
    Type.Array(DraftDecision),
    'One for each flow that decides on such a payment and has a draft',
  ),
})
export type RoutingDraft = Static<typeof RoutingDraft>
