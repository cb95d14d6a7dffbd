import { type Static, Type } from 'typebox'
import { Described, Words } from '../../../api/schema.ts'
import { canonicalJson } from '../../../api/values/canonical-json.ts'
import type { FlowRulesReplay } from '../../../routing/replay/replay.schema.ts'
import { type FlowRule, type FlowRules, FlowRulesReplace } from '../../../routing/rules/rule.schema.ts'
import { ApiRefusal, type CallApi, read, send } from '../../call-api.ts'
import { changes, Input, Output, tool } from '../../tool.ts'
import { marked } from '../../untrusted.ts'
import { actionInput } from './action.ts'

/** The flows whose rules decide on payments. */
export const ReplayableFlow = Words('card-transaction', 'non-card-transaction', 'redirect-transaction')

type Rules = Static<typeof FlowRulesReplace>['items']

export const draftRoutingRules = tool({
  name: 'draft_routing_rules',
  title: 'Draft routing rules',
  description:
    'Replaces the draft of a flow’s rules, and answers what these rules would have decided on past payments. A draft decides nothing: a person reads it and publishes it in the dashboard. Read get_routing_rules and the document guides/routing.md first. With `dry_run` nothing is stored, and the rules are replayed all the same.',
  input: Input({
    flow: ReplayableFlow,
    rules: Described(FlowRulesReplace.properties.items, 'All rules of the flow, in their order'),
    replay_payments: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 10_000,
        description: 'Over how many of the last payments',
      }),
    ),
    replace_draft: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True: also a draft with other rules, which somebody may be working on, is replaced',
      }),
    ),
    ...actionInput,
  }),
  output: Output({
    state: Words('drafted', 'dry_run'),
    summary: Type.String(),
    draft: Described(
      Type.Union([Type.Object({ flow: Type.String(), version: Type.Integer() }), Type.Null()]),
      'What a person publishes; null: a dry run',
    ),
    replay: Described(
      Type.Unknown(),
      'Decisions that would change, shares of the payment services, and the approval rate to expect, with what cannot be estimated',
    ),
  }),
  annotations: changes(false),
  scopes: ['flows.read', 'flows.write'],
  async run({ flow, rules, replay_payments = 10_000, replace_draft = false, dry_run }, { call }) {
    const replay = (choice: { rules: Rules } | { state: 'draft' }) =>
      send<FlowRulesReplay>(call, {
        method: 'POST',
        path: `/flows/${flow}/rules/replay`,
        body: { ...choice, transactions: replay_payments },
      })
    if (dry_run) {
      const report = await replay({ rules })
      return {
        state: 'dry_run' as const,
        summary: replaySentence(report),
        draft: null,
        replay: marked(report),
      }
    }
    if (!replace_draft) await refuseOtherDraft(call, flow, rules)
    const { version } = await send<FlowRules>(call, {
      method: 'PUT',
      path: `/flows/${flow}/rules`,
      body: { items: rules },
    })
    // the draft is stored, whatever becomes of its replay
    const report = await replay({ state: 'draft' }).catch((error) => {
      if (error instanceof ApiRefusal) return null
      throw error
    })
    return {
      state: 'drafted' as const,
      summary: `The draft is version ${version}; a person publishes it. ${report ? replaySentence(report) : 'It could not be replayed now: send the call again.'}`,
      draft: { flow, version },
      replay: marked(report),
    }
  },
})

const replaySentence = ({ decisions, transactions }: FlowRulesReplay) =>
  `Of ${transactions.replayed} payments, ${decisions.total - decisions.unchanged} would have been decided otherwise.`

/** Throws if there is a draft with other rules: it is another person's work. */
async function refuseOtherDraft(call: CallApi, flow: string, rules: Rules): Promise<void> {
  const draft = await read<FlowRules>(call, `/flows/${flow}/rules`, { state: 'draft' }).catch((error) => {
    if (error instanceof ApiRefusal && error.status === 404) return undefined
    throw error
  })
  if (draft && canonicalJson(draft.items.map(essence)) !== canonicalJson(rules.map(essence)))
    throw new ApiRefusal({
      status: 409,
      body: {
        code: 'duplicate_record',
        message:
          'There is a draft with other rules, which somebody may be working on. Ask the people of the account; `replace_draft` replaces it',
      },
    })
}

const essence = ({
  display_name,
  action,
  active = true,
  condition,
  outcome = {},
}: Rules[number] | FlowRule) => ({
  display_name,
  action,
  active,
  condition,
  outcome,
})
