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

/**
 * What an operation's body has in the API document: `examples` for tools, and a description for readers, since
 * the pages of the reference show neither summary nor description of a single example.
 */
export interface DocumentedExample {
  description: string
  examples: Record<string, { summary: string; value: RequestExample['body'] }>
}

/** The example of an operation as the API document has it. */
export function documentedExample(operationId: string): DocumentedExample | undefined {
  const example = requestExamples[operationId]
  if (!example) return undefined
  const { summary, body: value } = example
  return {
    description: [`Example: ${summary}.`, ...explanations(example)].join(' '),
    examples: { [operationId]: { summary, value } },
  }
}

const explanations = ({ needs, body }: RequestExample): string[] => [
  ...(needs ? [`It needs ${needs}.`] : []),
  ...placeholdersIn(body).map((name) => `\`{${name}}\` is ${placeholders[name]}.`),
]
