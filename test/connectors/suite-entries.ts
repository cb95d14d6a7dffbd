import { acme } from '../../connectors/_template/connector.ts'
import { underTest as acmeUnderTest } from '../../connectors/_template/fake.ts'
import { bnpl } from '../../src/connectors/bnpl-bnpl/connector.ts'
import { wallet } from '../../src/connectors/wallet-wallet/connector.ts'
import { adyenEntries } from './adyen/under-test.ts'
import { checkoutEntries } from './checkout/under-test.ts'
import { mollieEntries } from './mollie/under-test.ts'
import { simulatedBnpl, simulatedWallet, simulatorUrl } from './redirect-simulators.ts'
import { mockCardEntry, simulatedMethodEntries } from './simulators.ts'
import { stripeEntries } from './stripe/under-test.ts'
import type { SuiteEntry } from './support/suite-entry.ts'

/** Every connector that the connector kit's suite runs on. */
export const suiteEntries: readonly SuiteEntry[] = [
  ...stripeEntries,
  ...adyenEntries,
  ...checkoutEntries,
  ...mollieEntries,
  [wallet({ sandboxUrl: simulatorUrl, clock: { now: () => 0 } }), simulatedWallet],
  [bnpl(`${simulatorUrl}/bnpl`), simulatedBnpl],
  mockCardEntry,
  ...simulatedMethodEntries,
  [acme(), acmeUnderTest],
]
