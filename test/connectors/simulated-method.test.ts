import { simulatedMethodConnectors } from '../../src/connectors/simulated-method/connector.ts'
import { connectorContract } from '../support/connector-contract.ts'
import { simulatedMethod, simulatorUrl } from './simulators.ts'

/** One method of each kind (src/connectors/simulated-method/methods.ts). */
const oneOfEachKind = ['mock-alipay', 'mock-blik', 'mock-ideal', 'mock-sepa', 'mock-boleto']

for (const connector of simulatedMethodConnectors(`${simulatorUrl}/redirect`))
  if (oneOfEachKind.includes(connector.definition.id)) connectorContract(connector, simulatedMethod)
