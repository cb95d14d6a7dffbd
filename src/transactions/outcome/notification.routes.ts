import { Type } from 'typebox'
import type { App } from '../../api/app.ts'
import { notFound, unauthorized } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Open, Uuid } from '../../api/schema.ts'
import { isUuid } from '../../api/values/uuid.ts'
import type { NotificationSubject, RequiredIdentifiers } from '../../connectors/contract/connector.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { noteEarlyNotice, noteLateNotice } from '../../operations/journal/late-notice.ts'
import { keepNotice } from '../../operations/journal/notices.ts'
import { findOperation, readOperations } from '../../operations/journal/read-operations.ts'
import { isOpen, type OperationRow } from '../../operations/operation.ts'
import { isNotificationToken, notificationUrl } from '../../payment-services/notification-url.ts'
import { paymentService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { recordDispute } from '../disputes/record-dispute.ts'
import { hasIdentifiers } from '../has-identifiers.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import { paymentServiceContext, timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { findTransaction } from '../transaction.store.ts'
import { type NotifiedOperation, readGiftCardNotification } from './gift-card-notification.ts'
import { mayBeLate } from './late-outcome.ts'
import { appendTimelineEntry, isLookupDue } from './sync-transaction.ts'

/** Finds out the outcome of an operation, and records it. */
type RecoverOperation = (
  world: World,
  operation: OperationRow,
) => Promise<{ operation: OperationRow } | undefined>

/**
 * Where payment services say that something moved on: the `webhook_url` of each. What they say is never
 * believed: it makes us read their books. So a repeated, late or reordered notification changes nothing that
 * is not so, and a forged one is refused before it costs anything. One that may tell otherwise of a decided
 * operation makes recovery look at it once more (`late-outcome.ts`). One that comes before the answer of its own
 * operation, or tells of an approval while the outcome is unknown, is noted on the operation (`noteEarlyNotice`).
 */
export const notificationRoutes =
  (examine: RecoverOperation): Routes =>
  (app, world) => {
    app.register(async (plugin) => {
      const scope = plugin as unknown as App
      // some providers send the id of a payment as a form
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: 16 * 1024 },
        (request, body: string, done) => {
          request.text = body
          done(null, Object.fromEntries(new URLSearchParams(body)))
        },
      )
      notificationRoute(scope, world, examine)
    })
  }

function notificationRoute(app: App, world: World, examine: RecoverOperation): void {
  app.post(
    '/notifications/:merchant_account_id/:payment_service_id/:token',
    {
      config: { scopes: 'public', keepsText: true },
      schema: {
        hide: true,
        params: Type.Object({
          merchant_account_id: Type.String(),
          payment_service_id: Uuid,
          token: Type.String(),
        }),
        body: Open,
        response: { 200: Type.Object({ received: Type.Boolean() }) },
      },
    },
    async ({
      params: { merchant_account_id: account, payment_service_id: id, token },
      body,
      headers,
      text,
    }) => {
      if (!isNotificationToken(world, account, id, token)) throw notFound()
      const service = await paymentService(world, account, id)
      const connector = service && world.connectors.get(service.payment_service_definition_id)
      if (!service) {
        const operations = await readGiftCardNotification(world, { account, id }, { headers, text, body })
        for (const each of operations ?? []) await followNotice(world, examine, each)
        return { received: operations !== undefined && operations.length > 0 }
      }
      if (!connector?.readNotification) return { received: false }
      const { request: http } = instrumentedHttp(world, {
        definition: service.payment_service_definition_id,
        operation: 'notification',
      })
      const call = {
        http,
        service: { id, fields: service.values, notificationUrl: notificationUrl(world, account, id) },
      }
      const subjects = [await connector.readNotification(call, { headers, text, body })].flat()
      if (subjects.some(({ about }) => about === 'forged')) throw unauthorized('the notification is forged')
      const disputes = subjects.flatMap((subject) => (subject.about === 'dispute' ? subject.dispute : []))
      for (const dispute of disputes) await recordDispute(world, { account, service: id }, dispute)
      const notified = await notifiedOperations(world, account, id, subjects)
      const followed: OperationRow[] = []
      for (const each of notified) {
        const operation = await followNotice(world, examine, each)
        if (operation) followed.push(operation)
      }
      const context = {
        ...paymentServiceContext({
          payment_service_id: id,
          payment_service: paymentServiceSnapshot(service),
        }),
        operations: followed.length,
      }
      // a notification that comes again has nothing to tell
      const moved = followed.filter(({ kind, status }) => kind !== 'payout' && isOpen(status))
      for (const transaction of new Set(moved.map((operation) => operation.transaction_id)))
        await appendTimelineEntry(
          world,
          account,
          transaction,
          timelineEntry(world, 'payment-connector-transaction-webhook-processed', context),
        )
      return { received: notified.length + disputes.length > 0 }
    },
  )
}

const byReference = `
select id, identifiers from transactions where merchant_account_id = $1 and payment_service_transaction_id = $2 and payment_service_id = $3`

/**
 * Finds out what the payment service now knows of the operation, or has recovery do it. Answers the operation as it
 * was before. Undefined: it is in flight, and looked at once its own answer is recorded.
 */
async function followNotice(
  world: World,
  examine: RecoverOperation,
  { operation, late }: NotifiedOperation,
): Promise<OperationRow | undefined> {
  const current = await unlessInFlight(world, operation)
  if (!current) return undefined
  // the books may be behind the notification
  if (current.status === 'unknown' && late === 'approval') await noteEarlyNotice(world, current)
  const known = mayBeLate(current, late) ? current : ((await examine(world, current))?.operation ?? current)
  // it was decided before, or by another process while its books were read
  if (mayBeLate(known, late)) await noteLateNotice(world, known)
  return current
}

/**
 * The operation, unless its own answer is still awaited, or recovery is about to claim it: its books are not read
 * twice at once, which could close or send it twice. Then the notification is noted on it.
 */
async function unlessInFlight(world: World, operation: OperationRow): Promise<OperationRow | undefined> {
  if (operation.status !== 'sent') return operation
  const isNoted = (operation.late_notice_at ?? null) !== null || (await noteEarlyNotice(world, operation))
  if (isNoted) return undefined
  const current = await findOperation(world, operation.merchant_account_id, operation.id)
  // another notification has noted it
  return current?.status === 'sent' ? undefined : current
}

/**
 * The operations whose outcome the payment service may know by now, each once. What a notification says is
 * kept before, for the look-up of a payment service that cannot be asked.
 */
async function notifiedOperations(
  world: World,
  account: string,
  service: string,
  subjects: readonly NotificationSubject[],
): Promise<NotifiedOperation[]> {
  const notified = new Map<string, NotifiedOperation>()
  for (const subject of subjects) {
    if (subject.about !== 'operation' && subject.about !== 'payment') continue
    const key = subject.about === 'operation' ? subject.operation : subject.payment
    if (subject.notice) await keepNotice(world, { account, service, subject: key }, subject.notice)
    const operations = await (subject.about === 'operation' ? operationById : operationsOfPayment)(
      world,
      account,
      service,
      key,
      subject.identifiers,
    )
    const late = subject.about === 'operation' ? subject.late : undefined
    for (const operation of operations)
      notified.set(operation.id, { operation, late: notified.get(operation.id)?.late ?? late })
  }
  return [...notified.values()]
}

async function operationById(
  world: World,
  account: string,
  service: string,
  id: string,
  identifiers: RequiredIdentifiers | undefined,
): Promise<OperationRow[]> {
  const found = isUuid(id) ? await findOperation(world, account, id) : undefined
  if (!found || found.payment_service_id !== service) return []
  if (!identifiers) return [found]
  // an operation that undoes a late payment acts on that one
  const payment = found.input.late_payment ?? (await findTransaction(world, account, found.transaction_id))
  return payment && hasIdentifiers(payment, identifiers) ? [found] : []
}

async function operationsOfPayment(
  world: World,
  account: string,
  service: string,
  payment: string,
  identifiers: RequiredIdentifiers | undefined,
): Promise<OperationRow[]> {
  const named = await world.run<Pick<TransactionRow, 'id' | 'identifiers'>>(byReference, [
    account,
    payment,
    service,
  ])
  const found = named.filter((transaction) => hasIdentifiers(transaction, identifiers))
  const operations = await Promise.all(found.map(({ id }) => readOperations(world, account, id)))
  return operations.flat().filter((operation) => operation.status === 'sent' || isLookupDue(world, operation))
}
