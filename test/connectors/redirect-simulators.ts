import type { ConnectorUnderTest } from '../../src/connector-kit/fake-provider.ts'
import { bnplProvider } from '../../src/sandbox/providers/bnpl/bnpl.routes.ts'
import { walletProvider } from '../../src/sandbox/providers/wallet/wallet.routes.ts'
import { common, simulated } from './simulators.ts'

/** The URL that the connectors of PayPal and Klarna are given. */
export const simulatorUrl = 'http://simulator.example'

/** PayPal. Without a webhook it sends no notifications: those are in the connector's own tests. */
export const simulatedWallet: ConnectorUnderTest = {
  ...common,
  fields: { client_id: 'client-1', client_secret: 'secret-1', environment: 'simulator' },
  provider: () => simulated('wallet', walletProvider()),
  instruments: { approved: {}, declined: {} },
  impossible: {
    ...common.impossible,
    'a decline keeps the provider’s own code, and moves nothing':
      'an order that its buyer leaves waits: Railyard ends the approval when its time is over',
  },
}

/** Why an order whose request was lost stays undecided after an hour. */
const TOKEN_IS_OVER =
  'the buyer’s token is over by then, and Klarna has no request that tells whether the order was placed'

/** Klarna. */
export const simulatedBnpl: ConnectorUnderTest = {
  ...common,
  fields: { username: 'merchant-1', password: 'secret-1', environment: 'simulator', region: 'eu' },
  provider: () => simulated('bnpl', bnplProvider),
  instruments: { approved: {}, declined: {} },
  impossible: {
    ...common.impossible,
    'authorize: the request is lost, and recovery begins two days later': TOKEN_IS_OVER,
    'sale: the request is lost, and recovery begins two days later': TOKEN_IS_OVER,
  },
}
