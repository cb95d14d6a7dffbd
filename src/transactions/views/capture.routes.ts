import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { readOperations } from '../../operations/journal/journal.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { transactionParams } from '../transaction.routes.ts'
import { readTransaction } from '../transaction.store.ts'
import { showCapture } from './capture.representation.ts'
import { Capture, Captures } from './capture.schema.ts'

/** Captures, and the sale that was one at once: as soon as it took effect, or may still (SEMANTICS §3.11). */
const isCapture = ({ kind, status }: OperationRow) => kind === 'capture' || (kind === 'sale' && (status === 'approved' || status === 'pending'))

async function captures(world: World, account: string, id: string): Promise<Capture[]> {
  const transaction = await readTransaction(world, account, id)
  const operations = await readOperations(world, account, id)
  return operations
    .filter(isCapture)
    .reverse()
    .map((operation) => showCapture(operation, transaction))
}

export const captureRoutes: Routes = (app, world) => {
  const config = { scopes: ['transactions.read'] }
  const tags = ['Transactions - Captures']

  app.get(
    '/transactions/:transaction_id/captures',
    {
      config,
      schema: {
        operationId: 'list_transaction_captures',
        summary: 'List captures',
        description: 'The captures of a transaction, the newest first.',
        tags,
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: Captures },
      },
    },
    async ({ account, params }) => ({
      items: await captures(world, account, params.transaction_id),
      limit: 20,
      next_cursor: null,
      previous_cursor: null,
    }),
  )

  app.get(
    '/transactions/:transaction_id/captures/:capture_id',
    {
      config,
      schema: {
        operationId: 'get_transaction_capture',
        summary: 'Get a capture',
        description: 'One capture of a transaction.',
        tags,
        headers: merchantAccountHeader,
        params: Type.Object({ transaction_id: Uuid, capture_id: Uuid }),
        response: { 200: Capture },
      },
    },
    async ({ account, params }) => {
      const found = (await captures(world, account, params.transaction_id)).find((capture) => capture.id === params.capture_id)
      if (!found) throw notFound()
      return found
    },
  )
}
