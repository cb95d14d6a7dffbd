import type { RequestExamples } from './request-example.ts'

const refusalAbove = (amount: number) => ({
  action: 'decline-early',
  display_name: 'No large payments',
  condition: { all: [{ field: 'amount', operator: 'gt', value: amount, currency: 'USD' }] },
  outcome: { error_code: 'flow_too_large' },
})

/** The rules of flows. */
export const ruleExamples: RequestExamples = {
  replay_flow_rules: {
    summary: 'What a rule would have decided of the last 1,000 payments',
    body: { rules: [refusalAbove(500_000)], transactions: 1000 },
  },
  create_flow_rule: { summary: 'Decline payments above 5,000.00 USD', body: refusalAbove(500_000) },
  update_flow_rule: { summary: 'Decline payments above 8,000.00 USD', body: refusalAbove(800_000) },
  replace_flow_rules: { summary: 'A draft of one rule', body: { items: [refusalAbove(1_000_000)] } },
  publish_flow_rules: { summary: 'Publish the draft', needs: 'a draft', body: {} },
}
