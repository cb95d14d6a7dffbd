import type { ConnectorUnderTest } from '../../../src/connector-kit/fake-provider.ts'
import { adyenCard, adyenRedirects } from '../../../src/connectors/adyen/connector.ts'
import { newestFake } from '../support/newest-fake.ts'
import { entriesOf } from '../support/suite-entry.ts'
import { adyenFake } from './fake.ts'
import { forgeriesOf } from './forgeries.ts'
import { encrypted, fields } from './harness.ts'

const { clock, provider } = newestFake(adyenFake)
const options = { clock, isSandbox: true, baseUrl: 'http://adyen.test' }
const common = {
  provider,
  fields,
  currency: 'EUR',
  keyLifeMs: 7 * 24 * 3_600_000,
  forgeriesOf,
} satisfies Partial<ConnectorUnderTest>
const card = (additionalData: Record<string, string>) => ({
  instrument: { providerToken: encrypted },
  options: { additionalData },
})
/**
 * No request reads a modification: one without a webhook may have happened, and its key is forgotten
 * (src/connectors/adyen/README.md).
 */
const untold =
  'no request reads a modification, and without its key it could be done twice: a person looks it up'
const afterTheKey = (...kinds: string[]) =>
  Object.fromEntries(
    kinds.map((kind) => [
      `${kind} of a part: the request is lost, and recovery begins after the key is forgotten`,
      untold,
    ]),
  )
const redirect = { ...common, instruments: { approved: {}, declined: {} } }

/** Cards, a method of the buyer's bank, and one that is authorized first. */
export const adyenEntries = entriesOf([adyenCard(options), ...adyenRedirects(options)], {
  'adyen-card': {
    ...common,
    impossible: afterTheKey('capture', 'refund'),
    instruments: {
      approved: card({}),
      declined: card({ RequestedTestAcquirerResponseCode: '12' }),
      challenged: card({ 'test.challenge': 'true' }),
    },
  },
  'adyen-ideal': { ...redirect, impossible: afterTheKey('refund') },
  'adyen-klarna': { ...redirect, impossible: afterTheKey('capture', 'refund') },
})
