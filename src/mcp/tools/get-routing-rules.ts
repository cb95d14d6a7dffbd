import { Type } from 'typebox'
import { Described } from '../../api/schema.ts'
import type { PaymentService } from '../../payment-services/payment-service.schema.ts'
import type { FlowRules } from '../../routing/rules/rule.schema.ts'
import { readPart } from '../call-api.ts'
import { Input, Output, reads, tool } from '../tool.ts'
import { marked } from '../untrusted.ts'
import { ReplayableFlow } from './money/draft-routing-rules.ts'

const Part = Type.Union([Type.Unknown(), Type.Null()])

export const getRoutingRules = tool({
  name: 'get_routing_rules',
  title: 'Get the routing rules',
  description:
    'The rules of a flow that are live, its draft, and the payment services of the account in the order in which they are tried without a rule.',
  input: Input({ flow: ReplayableFlow }),
  output: Output({
    live: Described(Part, 'Null: no rules are live'),
    draft: Described(Part, 'Null: nobody edits them'),
    payment_services: Part,
    left_out: Type.Array(Type.String()),
  }),
  annotations: reads,
  scopes: ['flows.read', 'payment-services.read'],
  async run({ flow }, { call }) {
    const left_out: string[] = []
    const path = `/flows/${flow}/rules`
    const [live, draft, services] = await Promise.all([
      readPart<FlowRules>(call, left_out, 'live rules', path, { state: 'live' }),
      readPart<FlowRules>(call, left_out, 'draft', path, { state: 'draft' }),
      readPart<{ items: PaymentService[] }>(call, left_out, 'payment services', '/payment-services', {
        limit: 100,
      }),
    ])
    return {
      live: marked(live),
      draft: marked(draft),
      payment_services:
        services?.items.map(
          ({ id, payment_service_definition_id, display_name, active, position, accepted_currencies }) => ({
            id,
            position,
            active,
            accepted_currencies: accepted_currencies.length,
            ...marked({ payment_service_definition_id, display_name }),
          }),
        ) ?? null,
      left_out,
    }
  },
})
