import { routes as accounts } from '../accounts/routes.ts'
import { routes as agenticCommerce } from '../agentic-commerce/routes.ts'
import { routes as antiFraud } from '../anti-fraud/routes.ts'
import type { Routes } from '../api/routes.ts'
import { routes as approvals } from '../approvals/routes.ts'
import { routes as attention } from '../attention/routes.ts'
import { recoverOperation } from '../background/recover-operation.ts'
import { routes as buyers } from '../buyers/routes.ts'
import { routes as checkout } from '../checkout/routes.ts'
import { routes as dashboard } from '../dashboard/routes.ts'
import { routes as elements } from '../elements/routes.ts'
import { routes as events } from '../events/routes.ts'
import { routes as giftCards } from '../gift-cards/routes.ts'
import { routes as hostedPages } from '../hosted-pages/routes.ts'
import { routes as insights } from '../insights/routes.ts'
import { routes as mcp } from '../mcp/routes.ts'
import { routes as monitoring } from '../monitoring/routes.ts'
import { routes as observability } from '../observability/routes.ts'
import { routes as paymentLinks } from '../payment-links/routes.ts'
import { routes as paymentServices } from '../payment-services/routes.ts'
import { routes as payouts } from '../payouts/routes.ts'
import { routes as privacy } from '../privacy/routes.ts'
import { routes as reconciliation } from '../reconciliation/routes.ts'
import { routes as reports } from '../reports/routes.ts'
import { routes as routing } from '../routing/routes.ts'
import { routes as sandbox } from '../sandbox/routes.ts'
import type { Settings } from '../settings.ts'
import { routes as spendingLimits } from '../spending-limits/routes.ts'
import { routes as threeDSecure } from '../three-d-secure/routes.ts'
import { routes as transactions } from '../transactions/routes.ts'
import { routes as vault } from '../vault/routes.ts'
import { routes as verification } from '../verify/routes.ts'

/** The resources of the API, in the order in which the API document lists them. */
const resources: readonly Routes[] = [
  ...accounts,
  ...approvals,
  ...threeDSecure,
  ...buyers,
  ...privacy,
  ...paymentServices,
  ...giftCards,
  ...antiFraud,
  ...payouts,
  ...transactions(recoverOperation),
  ...spendingLimits,
  ...verification,
  ...routing,
  ...events,
  ...reconciliation,
  ...checkout,
  ...agenticCommerce,
  ...vault,
  ...elements,
  ...paymentLinks,
  ...hostedPages,
  ...reports,
  ...monitoring,
  ...insights,
  ...dashboard,
  ...attention,
  ...mcp,
]

/**
 * All routes of a process. A worker serves its health and its metrics alone. `simulatorUrl` is where the
 * sandbox's providers are; undefined in production, which has none of the sandbox's routes.
 */
export function routesOf(
  processRole: Settings['processRole'],
  simulatorUrl: string | undefined,
): readonly Routes[] {
  if (processRole === 'worker') return observability(simulatorUrl)
  return [...observability(simulatorUrl), ...resources, ...(simulatorUrl ? sandbox(simulatorUrl) : [])]
}
