import { connectorContract } from '../support/connector-contract.ts'
import { simulatedMethodEntries } from './simulators.ts'

for (const [connector, underTest] of simulatedMethodEntries) connectorContract(connector, underTest)
