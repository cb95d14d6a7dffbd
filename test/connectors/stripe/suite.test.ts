import { connectorContract } from '../../support/connector-contract.ts'
import { stripeEntries } from './under-test.ts'

for (const [connector, underTest] of stripeEntries) connectorContract(connector, underTest)
