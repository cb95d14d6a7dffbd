import { connectorContract } from '../../support/connector-contract.ts'
import { checkoutEntries } from './under-test.ts'

for (const [connector, underTest] of checkoutEntries) connectorContract(connector, underTest)
