import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { showCapture } from './capture.representation.ts'
import { Capture, Captures } from './capture.schema.ts'
import { singlePage } from './single-page.ts'

/** Captures, and a sale once it is approved or pending, as it captures too (semantics §3.11). */
const isCapture = ({ kind, status }: OperationRow) =>
  kind === 'capture' || (kind === 'sale' && (status === 'approved' || status === 'pending'))

async function readCaptures(world: World, account: string, id: string): Promise<Capture[]> {
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
    async ({ account, params }) => singlePage(await readCaptures(world, account, params.transaction_id)),
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
      const captures = await readCaptures(world, account, params.transaction_id)
      const capture = captures.find(({ id }) => id === params.capture_id)
      if (!capture) throw notFound()
      return capture
    },
  )
}
