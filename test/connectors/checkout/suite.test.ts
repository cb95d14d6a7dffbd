import { checkoutCard } from '../../../src/connectors/checkout/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { newestFake } from '../support/newest-fake.ts'
import { checkoutFake } from './fake.ts'
import { fields } from './harness.ts'

const { clock, provider } = newestFake(checkoutFake)
const token = (providerToken: string) => ({ instrument: { providerToken } })

connectorContract(checkoutCard({ clock, isSandbox: true, baseUrl: 'http://checkout.test' }), {
  provider,
  fields,
  currency: 'EUR',
  instruments: {
    approved: token('tok_visa'),
    declined: token('tok_20051'),
    challenged: token('tok_challenged'),
  },
})
