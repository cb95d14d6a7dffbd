import { mockCard } from '../../src/connectors/mock-card/connector.ts'
import { connectorContract } from '../support/connector-contract.ts'
import { simulatedCard, simulatorUrl } from './simulators.ts'

connectorContract(mockCard(`${simulatorUrl}/card`), simulatedCard)
