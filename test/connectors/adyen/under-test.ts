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
/** No request reads a session, and webhooks tell of payments only (src/connectors/adyen/README.md). */
const unpaid = 'a session that is over is not opened again, and no message tells that it was not paid'
/** Nor a modification: one without a webhook may have happened, and its key is forgotten. */
const untold =
  'no request reads a modification, and without its key it could be done twice: a person looks it up'
const afterTheKey = (...kinds: string[]) =>
  Object.fromEntries(
    kinds.map((kind) => [
      `${kind} of a part: the request is lost, and recovery begins after the key is forgotten`,
      untold,
    ]),
  )
const impossible = Object.fromEntries(
  [
    'a buyer who never comes pays nothing, in the end',
    ...['authorize', 'sale'].flatMap((kind) => [
      `${kind}: the request is lost, and recovery begins two days later`,
      `${kind}: the answer is lost, and recovery begins two days later`,
    ]),
  ].map((name) => [name, unpaid]),
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
  'adyen-ideal': { ...redirect, impossible: { ...impossible, ...afterTheKey('refund') } },
  'adyen-klarna': { ...redirect, impossible: { ...impossible, ...afterTheKey('capture', 'refund') } },
})
