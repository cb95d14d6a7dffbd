import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { adyenCard, adyenRedirects } from '../../../src/connectors/adyen/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { newestFake } from '../support/newest-fake.ts'
import { adyenFake } from './fake.ts'
import { forgeriesOf } from './forgeries.ts'
import { encrypted, fields } from './harness.ts'

const { clock, provider } = newestFake(adyenFake)
const options = { clock, isSandbox: true, baseUrl: 'http://adyen.test' }
const common = { provider, fields, currency: 'EUR', forgeriesOf } satisfies Partial<ConnectorUnderTest>
const instrument = { providerToken: encrypted }

connectorContract(adyenCard(options), {
  ...common,
  instruments: {
    approved: { instrument },
    declined: { instrument, options: { additionalData: { RequestedTestAcquirerResponseCode: '12' } } },
    challenged: { instrument, options: { additionalData: { 'test.challenge': 'true' } } },
  },
})

/** A method of the buyer's bank, and one that is authorized first. */
const redirects = ['adyen-ideal', 'adyen-klarna']

for (const connector of adyenRedirects(options))
  if (redirects.includes(connector.definition.id))
    connectorContract(connector, { ...common, instruments: { approved: {}, declined: {} } })
