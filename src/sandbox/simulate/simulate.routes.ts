import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Transaction, transactionParams } from '../../transactions/transaction.schema.ts'
import { readTransaction } from '../../transactions/transaction.store.ts'
import { showTransaction } from '../../transactions/views/transaction.representation.ts'
import { SimulatedEvent } from './simulate.schema.ts'
import { readSimulationContext } from './simulation-context.ts'
import { simulateEvent } from './simulations.ts'

/**
 * Simulates events of a transaction that happen outside Railyard, on demand (docs/reference/sandbox.md).
 * Sandbox only. The simulators may run in another process.
 */
export const simulateRoutes =
  (simulatorUrl: string): Routes =>
  (app, world) => {
    app.post(
      '/sandbox/transactions/:transaction_id/simulate',
      {
        config: { scopes: ['transactions.write'] },
        schema: {
          operationId: 'simulate_transaction_event',
          summary: 'Simulate an event',
          description:
            'Has something happen to a transaction at the payment service, the card’s issuer, the scheme, the anti-fraud service or the buyer, and answers the transaction as it is afterwards. We learn it the usual way: from a report, a notification, an inquiry. An event that does not fit is a 400 that names those that do.',
          tags: ['Sandbox'],
          headers: merchantAccountHeader,
          params: transactionParams,
          body: SimulatedEvent,
          response: { 200: Transaction },
        },
      },
      async ({ account, params: { transaction_id: id }, body }) => {
        await simulateEvent(await readSimulationContext(world, simulatorUrl, account, id), body.event, body)
        return showTransaction(await readTransaction(world, account, id))
      },
    )
  }
