import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { mollieCard, mollieRedirects } from '../../../src/connectors/mollie/connector.ts'
import { newestFake } from '../support/newest-fake.ts'
import { entriesOf } from '../support/suite-entry.ts'
import { mollieFake } from './fake.ts'
import { fields } from './harness.ts'

const { clock, provider } = newestFake(mollieFake)
const options = { clock, isSandbox: true, baseUrl: 'http://mollie.test' }
const common = {
  provider,
  fields,
  currency: 'EUR',
  keyLifeMs: 3_600_000,
  // the notifications that every payment has are not signed
  signsNotifications: false,
} satisfies Partial<ConnectorUnderTest>

/** Mollie cancels an open payment while its `isCancelable` says so. */
const impossible = {
  'cancel: nothing goes wrong': 'an open payment by card or iDEAL ends only when it expires',
}
const token = (providerToken: string) => ({ instrument: { providerToken } })
const redirect = { ...common, instruments: { approved: {}, declined: {} } }

/** Cards, a method of the buyer's bank, and one that is authorized first. */
export const mollieEntries = entriesOf([mollieCard(options), ...mollieRedirects(options)], {
  'mollie-card': {
    ...common,
    impossible,
    instruments: {
      approved: token('tkn_approve'),
      declined: token('tkn_decline_insufficient_funds'),
      challenged: token('tkn_challenge'),
    },
  },
  'mollie-ideal': { ...redirect, impossible },
  'mollie-klarna': redirect,
})
