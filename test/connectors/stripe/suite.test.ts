import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { stripeCard, stripeMethods } from '../../../src/connectors/stripe/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { newestFake } from '../support/newest-fake.ts'
import { FakeStripe } from './fake.ts'
import { fields } from './support.ts'

const { clock, provider } = newestFake(() => new FakeStripe())
const options = { clock, isSandbox: true }
const common = { provider, fields, currency: 'EUR' } satisfies Partial<ConnectorUnderTest>
const token = (providerToken: string) => ({ instrument: { providerToken } })

connectorContract(stripeCard(options), {
  ...common,
  instruments: {
    approved: token('pm_card_visa'),
    declined: token('pm_card_visa_chargeDeclinedInsufficientFunds'),
    challenged: token('pm_card_authenticationRequired'),
  },
})

/** A method of the buyer's bank, and one that is authorized first. */
const redirects = ['stripe-ideal', 'stripe-klarna']

for (const connector of stripeMethods(options))
  if (redirects.includes(connector.definition.id))
    connectorContract(connector, { ...common, instruments: { approved: {}, declined: {} } })
