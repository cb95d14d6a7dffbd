import type { FlowRule, FlowRuleReplace, FlowRuleUpdate, Railyard } from '@railyard/client'
import { useAction } from '../../api/use-api.ts'
import { moved } from '../../parts/lists/sorting.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { routingWords as words } from '../../words/connections/routing.ts'
import type { Action, Flow } from './flows.ts'
import { rulesOf } from './use-rules.ts'

/** A rule as it is sent again. */
export const ruleToSend = ({
  id,
  display_name,
  action,
  active,
  condition,
  outcome,
}: FlowRule): FlowRuleReplace & FlowRuleUpdate => ({
  id,
  display_name,
  action: action as Action,
  active,
  condition,
  outcome,
})

/** Changes of a draft from its list. The first change of all makes the draft. `onDone`: after each. */
export function useRuleChanges(flow: Flow, onDone: () => void) {
  const say = useSay()
  const changes = [['flows', flow]]
  const current = async (api: Railyard) =>
    ((await rulesOf(api, flow, { state: 'draft' })) ?? (await rulesOf(api, flow, { state: 'live' })))
      ?.items ?? []
  const move = useAction({
    run: async (api, { id, to }: { id: string; to: number }) => {
      // what others have changed meanwhile stays
      const rules = await current(api)
      const from = rules.findIndex((rule) => rule.id === id)
      if (from >= 0) await api.flows.rules.replace(flow, { items: moved(rules, from, to).map(ruleToSend) })
      return rules[from]?.display_name ?? ''
    },
    onDone: (name, { to }) => {
      say(commonWords.movedTo(name, to + 1))
      onDone()
    },
    changes,
  })
  const turn = useAction({
    run: (api, { rule, active }: { rule: FlowRule; active: boolean }) => {
      const { id: _, ...values } = ruleToSend(rule)
      return api.flows.rules.update(flow, rule.id, { ...values, active })
    },
    onDone: () => {
      say(words.rule.saved)
      onDone()
    },
    changes,
  })
  const remove = useAction({
    run: (api, id: string) => api.flows.rules.delete(flow, id),
    onDone: () => {
      say(words.rule.removed)
      onDone()
    },
    changes,
  })
  return { move, turn, remove }
}
