import type { ServiceCall } from '../contract/call.ts'
import type { CredentialCheck, RegistrationAnswer } from '../contract/connector.ts'
import { readBackOfficeAnswer } from '../wire/back-office-answer.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { problemIn, readWebhook, readWebhooks, type Webhook } from './answer.schema.ts'
import { searchList } from './books.ts'
import { isLiveKey, LIVE_KEY_MESSAGE, type MollieOptions } from './environment.ts'
import { send } from './wire.ts'

/** What Railyard wants to hear of. Their entities are in the events. */
export const eventTypes = [
  ...['payment.paid', 'payment.authorized', 'payment.failed', 'payment.canceled', 'payment.expired'],
  ...['payment.pending', 'refund.processing', 'refund.refunded', 'refund.failed', 'refund.canceled'],
  ...['chargeback.received', 'chargeback.reversed', 'capture.succeeded', 'capture.failed'],
] as const

/** An organization's token has no environment of its own: the request names it. */
const accessOf = ({ service: { fields } }: ServiceCall) => {
  const token = fields['organization_token']
  return token === undefined
    ? { token: {}, isTest: false }
    : { token: { token }, isTest: !isLiveKey(fields['api_key']) }
}

/**
 * Registers our URL for signed events. The provider tells a secret once, when it makes the webhook: so a new
 * one is made, and the former ones with our URL are deleted after it.
 */
export async function registerNotifications(
  options: MollieOptions,
  call: ServiceCall,
): Promise<RegistrationAnswer> {
  const { token, isTest } = accessOf(call)
  const url = call.service.notificationUrl
  const answer = await send(options, call, {
    path: '/webhooks',
    body: { name: 'Railyard', url, eventTypes, ...(isTest && { testmode: true }) },
    ...token,
  })
  const made = readAnswer(answer)
  if ('ended' in made) return made.ended
  const { id, webhookSecret } = made.webhook
  if (!webhookSecret) return { status: 'unknown', reason: 'the answer has no secret' }
  for (let former = await findOther(options, call, id); former; former = await findOther(options, call, id)) {
    const query = isTest ? '?testmode=true' : ''
    const path = `/webhooks/${encodeURIComponent(former.id)}${query}`
    const deleted = await send(options, call, { method: 'DELETE', path, ...token })
    // a webhook too many sends events whose signature is refused, and changes nothing
    if (deleted === null || deleted.lost || deleted.status >= 300) break
  }
  return { status: 'registered', fields: { webhook_secret: webhookSecret } }
}

const findOther = (options: MollieOptions, call: ServiceCall, own: string) => {
  const { token, isTest } = accessOf(call)
  return searchList(options, call, {
    path: '/webhooks',
    query: isTest ? { testmode: 'true' } : {},
    ...token,
    read: readWebhooks,
    fits: ({ id, url }: Webhook) => id !== own && url === call.service.notificationUrl,
  })
}

function readAnswer(answer: HttpAnswer | null): { webhook: Webhook } | { ended: RegistrationAnswer } {
  const read = readBackOfficeAnswer(
    answer,
    (body) => problemIn(body).detail ?? problemIn(body).title,
    LIVE_KEY_MESSAGE,
  )
  if ('ended' in read) return read
  const webhook = readWebhook(read.body)
  return webhook ? { webhook } : { ended: { status: 'unknown', reason: 'the answer cannot be read' } }
}

/** Whether the key is accepted: it may read the profile that it belongs to. */
export async function verifyCredentials(options: MollieOptions, call: ServiceCall): Promise<CredentialCheck> {
  const answer = await send(options, call, { method: 'GET', path: '/profiles/me' })
  if (answer === null) return 'refused'
  if (answer.lost || answer.status >= 500 || answer.status === 429) return 'no answer'
  return answer.status === 200 ? 'accepted' : 'refused'
}
