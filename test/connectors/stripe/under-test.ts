import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { stripeCard, stripeMethods } from '../../../src/connectors/stripe/connector.ts'
import { newestFake } from '../support/newest-fake.ts'
import { entriesOf } from '../support/suite-entry.ts'
import { FakeStripe } from './fake.ts'
import { fields } from './support.ts'

const { clock, provider } = newestFake(() => new FakeStripe())
const options = { clock, isSandbox: true }
const common = { provider, fields, currency: 'EUR' } satisfies Partial<ConnectorUnderTest>
const token = (providerToken: string) => ({ instrument: { providerToken } })
const redirect = { ...common, instruments: { approved: {}, declined: {} } }

/** Cards, a method of the buyer's bank, and one that is authorized first. */
export const stripeEntries = entriesOf([stripeCard(options), ...stripeMethods(options)], {
  'stripe-card': {
    ...common,
    instruments: {
      approved: token('pm_card_visa'),
      declined: token('pm_card_visa_chargeDeclinedInsufficientFunds'),
      challenged: token('pm_card_authenticationRequired'),
    },
  },
  'stripe-ideal': redirect,
  'stripe-klarna': redirect,
})
