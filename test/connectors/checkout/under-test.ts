import { checkoutCard } from '../../../src/connectors/checkout/connector.ts'
import { newestFake } from '../support/newest-fake.ts'
import { entriesOf } from '../support/suite-entry.ts'
import { checkoutFake } from './fake.ts'
import { fields } from './harness.ts'

const { clock, provider } = newestFake(checkoutFake)
const token = (providerToken: string) => ({ instrument: { providerToken } })

export const checkoutEntries = entriesOf(
  [checkoutCard({ clock, isSandbox: true, baseUrl: 'http://checkout.test' })],
  {
    'checkout-card': {
      provider,
      fields: { ...fields, currency_account_id: 'ca_abcdefghijklmnopqrstuvwxyz' },
      currency: 'EUR',
      keyLifeMs: 24 * 3_600_000,
      instruments: {
        approved: token('tok_visa'),
        declined: token('tok_20051'),
        challenged: token('tok_challenged'),
      },
    },
  },
)
