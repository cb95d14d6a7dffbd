import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { RegistrationAnswer } from '../contract/connector.ts'
import { Compile } from '../wire/compile.ts'
import { disputeEvents } from './dispute-notice.ts'
import type { CheckoutOptions } from './environment.ts'
import { sendBackOffice } from './wire.ts'

/** The events of payments that end an operation, or let its buyer's challenge end. */
const paymentEvents = [
  'payment_approved',
  'payment_declined',
  'payment_expired',
  'payment_canceled',
  'payment_voided',
  'payment_void_declined',
  'payment_captured',
  'payment_capture_declined',
  'payment_refunded',
  'payment_refund_declined',
  'payment_payout_paid',
  'payment_payout_declined',
  'payment_payout_returned',
  'payment_authorization_incremented',
  'payment_authorization_increment_declined',
  'card_verified',
  'card_verification_declined',
]

const created = Compile(Type.Object({ id: Type.String({ minLength: 1 }) }))
const workflows = Compile(
  Type.Object({ data: Type.Array(Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) })) }),
)

/** The workflow of this service; an earlier registration has the same name. */
const nameOf = ({ service }: ServiceCall): string => `Railyard ${service.id}`

/**
 * Creates a workflow that sends our events to the service's URL, signed with a key that is made here. The
 * workflows of earlier registrations go only when the new one is there.
 */
export async function registerNotifications(
  options: CheckoutOptions,
  call: ServiceCall,
): Promise<RegistrationAnswer> {
  const listed = await sendBackOffice(options, call, { method: 'GET', path: '/workflows' })
  if ('ended' in listed) return listed.ended
  if (!workflows.Check(listed.body)) return unreadable
  const earlier = listed.body.data.filter(({ name }) => name === nameOf(call))
  const key = randomBytes(32).toString('hex')
  const made = await sendBackOffice(options, call, {
    path: '/workflows',
    body: {
      name: nameOf(call),
      active: true,
      conditions: [{ type: 'event', events: { gateway: paymentEvents, dispute: disputeEvents } }],
      actions: [
        {
          type: 'webhook',
          url: call.service.notificationUrl,
          signature: { method: 'HMACSHA256', key },
        },
      ],
    },
  })
  if ('ended' in made) return made.ended
  if (!created.Check(made.body)) return unreadable
  for (const { id } of earlier)
    await sendBackOffice(options, call, { method: 'DELETE', path: `/workflows/${encodeURIComponent(id)}` })
  return { status: 'registered', fields: { webhook_key: key } }
}

const unreadable: RegistrationAnswer = { status: 'unknown', reason: 'the answer cannot be read' }
