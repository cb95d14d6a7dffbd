import type { Definition } from '../connector.ts'
import { type MethodKindName, methodKinds } from './methods.ts'

const HOUR_MS = 3_600_000

/** What the sandbox's payment service for a method is and can do: all of it follows from the method's kind. */
export function definition(method: string, kind: MethodKindName): Definition {
  const { label, delays, refunds } = methodKinds[kind]
  return {
    id: `mock-${method}`,
    displayName: `Simulated ${method} (${label.toLowerCase()})`,
    method,
    mode: 'redirect',
    fields: [{ key: 'merchant_id', displayName: 'Merchant ID', required: true, secret: false, format: 'text' }],
    currencies: [],
    countries: [],
    features: {
      cancel: true,
      create_session: false,
      delayed_capture: delays,
      incremental_authorization: false,
      multi_capture: delays,
      over_capture: false,
      partial_authorization: false,
      partial_capture: delays,
      partial_refunds: refunds,
      reauthorization: false,
      refunds,
      settlement_reporting: false,
      transaction_sync: true,
      verify_credentials: true,
      void: delays,
      zero_auth: false,
    },
    integrationClients: ['redirect'],
    browserOptions: [],
    approval: { defaultLife: HOUR_MS, longestLife: 72 * HOUR_MS },
  }
}
