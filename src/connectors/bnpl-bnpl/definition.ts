import type { Definition } from '../contract/connector.ts'
import { environmentField } from '../wire/account-environment.ts'

const HOUR_MS = 3_600_000

/**
 * Klarna (API §4.11): the buyer approves there, Railyard places the order, then captures and refunds it.
 */
export const definition = (hasSandbox: boolean): Definition => ({
  id: 'bnpl-bnpl',
  displayName: 'Klarna',
  method: 'bnpl',
  mode: 'redirect',
  fields: [
    { key: 'username', displayName: 'API username', required: true, secret: false, format: 'text' },
    { key: 'password', displayName: 'API password', required: true, secret: true, format: 'text' },
    {
      key: 'client_id',
      displayName: 'Client ID (express button)',
      required: false,
      secret: false,
      format: 'text',
    },
    environmentField(hasSandbox),
    {
      key: 'region',
      displayName: 'Region',
      required: false,
      secret: false,
      format: 'text',
      values: ['eu', 'na', 'oc'],
    },
  ],
  currencies: [],
  countries: [],
  features: {
    cancel: true,
    // the express button's client id is still returned (API §4.2)
    create_session: false,
    delayed_capture: true,
    incremental_authorization: false,
    multi_capture: true,
    over_capture: false,
    partial_authorization: false,
    partial_capture: true,
    partial_refunds: true,
    reauthorization: false,
    refunds: true,
    settlement_reporting: true,
    transaction_sync: true,
    verify_credentials: true,
    void: true,
    zero_auth: false,
  },
  integrationClients: ['redirect', 'web', 'android', 'ios'],
  browserOptions: [],
  // the session that the buyer approves lives for 48 hours
  approval: { defaultLife: HOUR_MS, longestLife: 48 * HOUR_MS },
})
