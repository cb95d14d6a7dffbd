import { agenticMembers } from './member-descriptions/agentic.ts'
import { airlineMembers } from './member-descriptions/airline.ts'
import { checkoutMembers } from './member-descriptions/checkout.ts'
import { configurationMembers } from './member-descriptions/configuration.ts'
import { paymentsMembers } from './member-descriptions/payments.ts'
import { reportingMembers } from './member-descriptions/reporting.ts'
import { sharedMembers } from './member-descriptions/shared.ts'

/**
 * What a member of the API means wherever it has no description of its own in its schema: the same name means
 * the same thing in every resource. The OpenAPI document takes its descriptions from the schema first, then
 * from `descriptionsInSchemas`, then from here; a test counts the members without one.
 */
export const memberDescriptions: Readonly<Record<string, string>> = {
  ...sharedMembers,
  ...paymentsMembers,
  ...agenticMembers,
  ...checkoutMembers,
  ...airlineMembers,
  ...configurationMembers,
  ...reportingMembers,
}
