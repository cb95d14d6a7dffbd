import { accountExamples } from './accounts.ts'
import { buyerExamples } from './buyers.ts'
import { checkoutExamples } from './checkout.ts'
import { paymentExamples } from './payments.ts'
import { placeholders, placeholdersIn } from './placeholders.ts'
import { reportExamples } from './reports.ts'
import type { RequestExample, RequestExamples } from './request-example.ts'
import { ruleExamples } from './rules.ts'
import { sandboxExamples } from './sandbox.ts'
import { serviceExamples } from './services.ts'
import { webhookExamples } from './webhooks.ts'

/** The examples by subject, in the order in which an integrator needs them. */
export const exampleGroups: readonly RequestExamples[] = [
  paymentExamples,
  webhookExamples,
  checkoutExamples,
  buyerExamples,
  serviceExamples,
  ruleExamples,
  reportExamples,
  accountExamples,
  sandboxExamples,
]

/** A request of each operation with a body. A test sends each in a new sandbox. */
export const requestExamples: RequestExamples = Object.assign({}, ...exampleGroups)

/** The `examples` of an operation's body in the API document. */
export function documentedExamples(operationId: string): object | undefined {
  const example = requestExamples[operationId]
  return example && { [operationId]: documented(example) }
}

function documented({ summary, needs, body }: RequestExample) {
  const description = [
    ...(needs ? [`It needs ${needs}.`] : []),
    ...placeholdersIn(body).map((name) => `\`{${name}}\` is ${placeholders[name]}.`),
  ].join(' ')
  return { summary, ...(description && { description }), value: body }
}
