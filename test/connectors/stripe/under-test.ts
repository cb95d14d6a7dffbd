import type { ConnectorUnderTest, FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import { stripeCard, stripeMethods } from '../../../src/connectors/stripe/connector.ts'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { newestFake } from '../support/newest-fake.ts'
import { entriesOf } from '../support/suite-entry.ts'
import { FakeStripe } from './fake.ts'
import { fields } from './support.ts'

/** A request or an answer that breaks the contract is a problem of the check that it happens in. */
class StrictStripe extends FakeStripe {
  override receive(request: HttpRequest): FakeAnswer {
    const answer = super.receive(request)
    if (this.violations.length > 0) throw new Error(this.violations.splice(0).join('; '))
    return answer
  }
}

const { clock, provider } = newestFake(() => new StrictStripe())
const options = { clock, isSandbox: true }
const common = {
  provider,
  fields,
  currency: 'EUR',
  keyLifeMs: 24 * 3_600_000,
} satisfies Partial<ConnectorUnderTest>
const token = (providerToken: string) => ({ instrument: { providerToken } })
const redirect = { ...common, instruments: { approved: {}, declined: {} } }

/** Cards, a method of the buyer's bank, one that is authorized first, and one that runs Stripe's script. */
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
  'stripe-sepa': redirect,
})
