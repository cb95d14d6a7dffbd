import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { mollieCard, mollieRedirects } from '../../../src/connectors/mollie/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { newestFake } from '../support/newest-fake.ts'
import { mollieFake } from './fake.ts'
import { fields } from './harness.ts'

const { clock, provider } = newestFake(mollieFake)
const options = { clock, isSandbox: true, baseUrl: 'http://mollie.test' }
const common = {
  provider,
  fields,
  currency: 'EUR',
  signsNotifications: false,
} satisfies Partial<ConnectorUnderTest>
/** Of an open payment Mollie cancels only what `isCancelable` names: cards and iDEAL are not among it. */
const expires = {
  'cancel: nothing goes wrong': 'an open payment by card or iDEAL ends only when it expires',
}
const token = (providerToken: string) => ({ instrument: { providerToken } })

connectorContract(mollieCard(options), {
  ...common,
  impossible: expires,
  instruments: {
    approved: token('tkn_approve'),
    declined: token('tkn_decline_insufficient_funds'),
    challenged: token('tkn_challenge'),
  },
})

/** A method of the buyer's bank, and one that is authorized first, with what Mollie makes impossible of each. */
const redirects = new Map<string, ConnectorUnderTest['impossible'] & object>([
  ['mollie-ideal', expires],
  ['mollie-klarna', {}],
])

for (const connector of mollieRedirects(options)) {
  const impossible = redirects.get(connector.definition.id)
  if (impossible)
    connectorContract(connector, { ...common, impossible, instruments: { approved: {}, declined: {} } })
}
