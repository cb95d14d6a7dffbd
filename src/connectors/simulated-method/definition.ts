import { type Definition, offeredFeatures } from '../contract/connector.ts'
import { type MethodKindName, methodKinds } from './methods.ts'

const HOUR_MS = 3_600_000

/** The definition of the sandbox's payment service for a method, which follows from the method's kind. */
export function definition(method: string, kind: MethodKindName): Definition {
  const { label, delayedCapture, refunds } = methodKinds[kind]
  const features: Definition['features'] = {
    cancel: true,
    create_session: false,
    delayed_capture: delayedCapture,
    incremental_authorization: false,
    multi_capture: delayedCapture,
    over_capture: false,
    partial_authorization: false,
    partial_capture: delayedCapture,
    partial_refunds: refunds,
    reauthorization: false,
    refunds,
    settlement_reporting: false,
    transaction_sync: true,
    verify_credentials: true,
    void: delayedCapture,
    zero_auth: false,
  }
  return {
    id: `mock-${method}`,
    displayName: `Simulated ${method} (${label.toLowerCase()})`,
    method,
    mode: 'redirect',
    fields: [
      { key: 'merchant_id', displayName: 'Merchant ID', required: true, secret: false, format: 'text' },
    ],
    currencies: [],
    countries: [],
    features,
    simulatedFeatures: offeredFeatures(features),
    integrationClients: ['redirect'],
    browserOptions: [],
    approval: { defaultLife: HOUR_MS, longestLife: 72 * HOUR_MS },
  }
}
