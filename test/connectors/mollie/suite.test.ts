import { connectorContract } from '../../support/connector-contract.ts'
import { mollieEntries } from './under-test.ts'

for (const [connector, underTest] of mollieEntries) connectorContract(connector, underTest)
