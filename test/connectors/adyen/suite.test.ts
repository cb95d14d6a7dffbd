import { connectorContract } from '../../support/connector-contract.ts'
import { adyenEntries } from './under-test.ts'

for (const [connector, underTest] of adyenEntries) connectorContract(connector, underTest)
