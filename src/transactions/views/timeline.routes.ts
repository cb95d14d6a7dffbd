import { Type } from 'typebox'
import { merchantAccountHeader } from '../../api/headers.ts'
import { answerPage, type PageRequest } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery } from '../../api/schema.ts'
import type { Exchange } from '../../connectors/contract/call.ts'
import { timestamp } from '../../database/timestamp.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import { readTimelineEntries } from '../../operations/journal/read-timeline.ts'
import { exchangesOf, isCheckKind, isRefund, type OperationRow } from '../../operations/operation.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import { type ConfiguredService, paymentServices } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import { paymentServiceContext } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { maskCardInEntry } from './mask-timeline-card.ts'
import { settlementTimeline } from './settlement-timeline.ts'
import { type TransactionEvent, TransactionEvents } from './timeline.schema.ts'

/**
 * The whole timeline, the newest entry first: the stored entries, one for each call to a payment service
 * (from the journal's exchanges), and those of settlement reports. A payment has tens of entries, so pages
 * are cut in memory.
 */
async function readTimeline(world: World, account: string, id: string): Promise<TransactionEvent[]> {
  const transaction = await readTransaction(world, account, id)
  const operations = await readOperations(world, account, id)
  const entries = await readTimelineEntries(world, account, id, operations)
  const services = await paymentServices(world, account)
  const serviceOf = ({ payment_service_id: service }: OperationRow) =>
    services.find((each) => each.id === service)
  // the call of a screening or an authentication is a stored entry
  const calls = operations
    .filter(({ kind }) => !isCheckKind(kind))
    .flatMap((operation) =>
      exchangesOf(operation).map((exchange) =>
        externalRequestEntry(serviceOf(operation), transaction, operation, exchange),
      ),
    )
  const settlements = await settlementTimeline(world, transaction)
  return [...entries, ...calls, ...settlements]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .map((entry) => showEntry(entry, transaction))
}

const showEntry = (
  { id, name, created_at, context }: TimelineEntry,
  transaction: TransactionRow,
): TransactionEvent => ({
  type: 'transaction-event',
  id,
  name: name as TransactionEvent['name'],
  created_at: timestamp(created_at),
  context: maskCardInEntry(context, transaction),
})

const externalRequestEntry = (
  service: ConfiguredService | undefined,
  row: TransactionRow,
  operation: OperationRow,
  exchange: Exchange,
): TimelineEntry => ({
  id: exchange.id,
  name: 'payment-connector-external-transaction-request',
  created_at: exchange.ended_at,
  context: {
    connector_request_id: operation.id,
    method: exchange.method,
    url: exchange.url,
    request: exchange.request,
    response: exchange.response,
    response_status_code: exchange.status,
    success: exchange.status !== null && exchange.status < 400,
    // the service of this call; the transaction shows the last one
    ...paymentServiceContext(
      service ? { payment_service_id: service.id, payment_service: paymentServiceSnapshot(service) } : row,
    ),
    payment_service_id: operation.payment_service_id,
    refund_id: isRefund(operation) ? operation.id : null,
    refund_xid: isRefund(operation) ? operation.payment_service_operation_id : null,
  },
})

/** The entries of a page and one more, those nearest to its position first. Ids sort by time. */
function entriesOfPage(events: TransactionEvent[], { position, limit }: PageRequest): TransactionEvent[] {
  if (!position) return events.slice(0, limit + 1)
  if (position.direction === 'next') return events.filter(({ id }) => id < position.id).slice(0, limit + 1)
  return events
    .filter(({ id }) => id > position.id)
    .reverse()
    .slice(0, limit + 1)
}

export const timelineRoutes: Routes = (app, world) => {
  app.get(
    '/transactions/:transaction_id/events',
    {
      config: { scopes: ['transactions.read'] },
      schema: {
        operationId: 'list_transaction_events',
        summary: 'List events',
        description:
          'The timeline of a transaction, the newest entry first: each decision, and each call to a payment service.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        querystring: Type.Object(pageQuery(100), { additionalProperties: false }),
        response: { 200: TransactionEvents },
      },
    },
    async ({ account, params, query: { cursor, limit } }) => {
      const list = `transaction-events/${account}/${params.transaction_id}`
      return answerPage(
        world.cipher,
        list,
        { cursor, limit: limit ?? 100 },
        {
          read: async (page) =>
            entriesOfPage(await readTimeline(world, account, params.transaction_id), page),
          positionOf: ({ id }) => ({ key: id, id }),
          show: (event) => event,
        },
      )
    },
  )
}
