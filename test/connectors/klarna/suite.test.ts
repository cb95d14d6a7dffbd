import { bnpl } from '../../../src/connectors/bnpl-bnpl/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { simulatedBnpl, simulatorUrl } from '../redirect-simulators.ts'

connectorContract(bnpl(`${simulatorUrl}/bnpl`), simulatedBnpl)
