import { acme } from '../../connectors/_template/connector.ts'
import { underTest as acmeUnderTest } from '../../connectors/_template/fake.ts'
import { adyenEntries } from './adyen/under-test.ts'
import { checkoutEntries } from './checkout/under-test.ts'
import { mollieEntries } from './mollie/under-test.ts'
import { mockCardEntry, simulatedMethodEntries } from './simulators.ts'
import { stripeEntries } from './stripe/under-test.ts'
import type { SuiteEntry } from './support/suite-entry.ts'

/** Every connector that the connector kit's suite runs on. */
export const suiteEntries: readonly SuiteEntry[] = [
  ...stripeEntries,
  ...adyenEntries,
  ...checkoutEntries,
  ...mollieEntries,
  mockCardEntry,
  ...simulatedMethodEntries,
  [acme(), acmeUnderTest],
]
