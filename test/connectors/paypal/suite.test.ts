import { wallet } from '../../../src/connectors/wallet-wallet/connector.ts'
import { connectorContract } from '../../support/connector-contract.ts'
import { simulatedWallet, simulatorUrl } from '../redirect-simulators.ts'

connectorContract(wallet({ sandboxUrl: simulatorUrl, clock: { now: () => 0 } }), simulatedWallet)
