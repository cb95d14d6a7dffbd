import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { NotificationForCall, NotificationSubject } from '../contract/connector.ts'
import { Compile } from '../wire/compile.ts'
import { isHmacSignature } from '../wire/hmac-signature.ts'
import { type Movement, operationOf, readChargeback, readMovement } from './answer.schema.ts'
import { fetchPayment } from './books.ts'
import { disputesOf } from './dispute-notice.ts'
import type { MollieOptions } from './environment.ts'

const event = Compile(
  Type.Object({
    resource: Type.Literal('event'),
    type: Type.String(),
    entityId: Type.String(),
    _embedded: Type.Optional(Type.Object({ entity: Type.Optional(Type.Unknown()) })),
  }),
)
const ofPayment = Compile(Type.Object({ paymentId: Type.String() }))

const SIGNATURE_HEADER = 'x-mollie-signature'
const paymentId = /^tr_[A-Za-z0-9]+$/

const nothing: readonly NotificationSubject[] = [{ about: 'nothing' }]

/**
 * What a notification is about. An event is signed. A classic webhook is not, and says only the id of a
 * payment, which is then read: it also tells of the payment's captures, refunds and chargebacks.
 */
export async function readNotification(
  options: MollieOptions,
  call: ServiceCall,
  message: NotificationForCall,
): Promise<readonly NotificationSubject[]> {
  if (message.body['resource'] === 'event') return readEvent(call, message)
  const id = message.body['id'] ?? new URLSearchParams(message.text).get('id')
  return typeof id === 'string' && paymentId.test(id) ? paymentSubjects(options, call, id) : nothing
}

/** Throws if the payment cannot be read: the provider then sends the webhook again. */
async function paymentSubjects(
  options: MollieOptions,
  call: ServiceCall,
  id: string,
): Promise<readonly NotificationSubject[]> {
  const payment = await fetchPayment(options, call, id, 'captures,chargebacks,refunds')
  if (!payment) throw new Error('the payment of a Mollie webhook cannot be read')
  const { captures = [], chargebacks = [], refunds = [] } = payment._embedded ?? {}
  return [
    { about: 'payment', payment: id },
    ...[...captures, ...refunds].flatMap(failedMovement),
    ...chargebacks.flatMap(disputesOf).map(toSubject),
  ]
}

/** A capture or refund that has failed may have succeeded before. */
function failedMovement(movement: Movement): NotificationSubject[] {
  const operation = operationOf(movement)
  const hasFailed = movement.status === 'failed' || movement.status === 'canceled'
  return hasFailed && operation !== undefined ? [{ about: 'operation', operation, late: 'failure' }] : []
}

const toSubject = (dispute: ReturnType<typeof disputesOf>[number]): NotificationSubject => ({
  about: 'dispute',
  dispute,
})

function readEvent({ service }: ServiceCall, { headers, text, body }: NotificationForCall) {
  const secret = service.fields['webhook_secret']
  // without the secret Railyard cannot tell an event from a forgery
  if (!secret) return nothing
  if (!isSigned(headers[SIGNATURE_HEADER], secret, text)) return [{ about: 'forged' } as const]
  return event.Check(body) ? eventSubjects(body.type, body.entityId, body._embedded?.entity) : nothing
}

/** While the secret changes, an event has the signatures under both. */
function isSigned(header: string | string[] | undefined, secret: string, text: string): boolean {
  const signatures = [header ?? []].flat().flatMap((each) => each.split(','))
  return signatures.some((each) => {
    const [scheme, signature = ''] = each.trim().split('=')
    return scheme === 'sha256' && isHmacSignature(secret, text, signature)
  })
}

function eventSubjects(type: string, entityId: string, entity: unknown): readonly NotificationSubject[] {
  if (type.startsWith('payment.')) return [{ about: 'payment', payment: entityId }]
  const chargeback = type.startsWith('chargeback.') ? readChargeback(entity) : undefined
  if (chargeback) return disputesOf(chargeback).map(toSubject)
  if (!ofPayment.Check(entity)) return nothing
  const movement = readMovement(entity)
  return [{ about: 'payment', payment: entity.paymentId }, ...(movement ? failedMovement(movement) : [])]
}
