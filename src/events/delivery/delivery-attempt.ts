import { createSecretKey, type KeyObject } from 'node:crypto'
import { version } from '../../api/openapi/openapi.ts'
import { withoutCardNumbers } from '../../api/request/redact-url.ts'
import { timeOf } from '../../base/clock.ts'
import type { WebhookAttempt } from '../../database/tables/events.ts'
import { type MerchantAnswer, MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import type { Unsendable } from '../delivery-body.ts'
import type { WebhookEndpoint } from '../subscriptions/webhook-subscription.store.ts'
import { requestedPauseOf } from './back-off.ts'
import { merchantSignatureHeaders, type SignedContent, signatureHeaders } from './signature.ts'
import { authorizationHeaders, dropCachedToken } from './webhook-authorization.ts'

/** How long a receiver may take to answer (semantics §15.2), in milliseconds. */
export const RECEIVER_TIMEOUT_MS = 5_000

const MAX_RESPONSE_CHARACTERS = 1_000

/** An endpoint with its secrets as keys. */
export interface Receiver extends WebhookEndpoint {
  origin: string
  keys: KeyObject[]
}

export const toReceiver = (endpoint: WebhookEndpoint): Receiver => ({
  ...endpoint,
  origin: new URL(endpoint.url).origin,
  keys: endpoint.secrets.map((secret) => createSecretKey(Buffer.from(secret))),
})

export interface AttemptResult {
  succeeded: boolean
  attempt: WebhookAttempt
  /** The pause before the next attempt that the receiver asks for, in milliseconds; 0: it asks for none. */
  requestedPause: number
}

/** Sends an event once. `body` is its JSON: signatures are over these bytes. Never throws. */
export async function attemptDelivery(
  world: World,
  receiver: Receiver,
  event: { id: string; body: string },
): Promise<AttemptResult> {
  const attributes = () => ({
    'railyard.event.id': event.id,
    'railyard.webhook_subscription.id': receiver.id,
  })
  const result = await world.tracing.step('deliver webhook', { startsTrace: true, attributes }, () =>
    sendAttempt(world, receiver, event),
  )
  world.metrics.webhookDelivered(result.succeeded ? 'succeeded' : 'failed', result.attempt.latency / 1_000)
  return result
}

/** The result of an attempt without a request, since there is nothing to send. */
export function unsentAttempt(
  { clock, log }: Pick<World, 'clock' | 'log'>,
  { id }: Pick<Receiver, 'id'>,
  { reason, cause }: Unsendable,
): AttemptResult {
  if (cause) log.error({ err: cause, subscription: id }, 'a webhook delivery could not be sent')
  return {
    succeeded: false,
    attempt: { at: timeOf(clock), latency: 0, status_code: null, error: reason, response: null },
    requestedPause: 0,
  }
}

async function sendAttempt(
  world: World,
  receiver: Receiver,
  { id, body }: { id: string; body: string },
): Promise<AttemptResult> {
  const startedAt = world.clock.now()
  const sentAt = world.machineClock.now()
  let secrets: string[] = []
  const record = (outcome: Pick<WebhookAttempt, 'status_code' | 'error' | 'response'>): WebhookAttempt => ({
    at: new Date(startedAt).toISOString(),
    latency: Math.max(0, Math.round(world.clock.now() - startedAt)),
    ...outcome,
  })
  try {
    const authorization = await authorizationHeaders(world, receiver)
    secrets = sentCredentials(authorization, receiver.authentication)
    const answer = await world.merchantHttp.request(receiver.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Railyard/${version}`,
        // receivers compare the signature's time with their own clocks
        ...signedHeaders(receiver, { id, timestamp: Math.floor(sentAt / 1_000), body }),
        ...authorization,
      },
      body,
      timeout: RECEIVER_TIMEOUT_MS,
    })
    if (answer.status === 401) dropCachedToken(world, receiver.id)
    const succeeded = answer.status >= 200 && answer.status < 300
    const error = succeeded ? null : `answered ${answer.status}`
    return {
      succeeded,
      attempt: record({ status_code: answer.status, error, response: responseExcerpt(answer, secrets) }),
      requestedPause: requestedPauseOf(answer, sentAt),
    }
  } catch (error) {
    if (!(error instanceof MerchantUnreachable))
      world.log.error({ err: error, subscription: receiver.id }, 'a webhook delivery could not be sent')
    const reason = error instanceof MerchantUnreachable ? toStorableText(error.message) : 'could not be sent'
    return {
      succeeded: false,
      attempt: record({ status_code: null, error: reason, response: null }),
      requestedPause: 0,
    }
  }
}

const signedHeaders = ({ isSentOrders, keys }: Receiver, content: SignedContent): Record<string, string> =>
  isSentOrders ? merchantSignatureHeaders(keys, content) : signatureHeaders(keys, content)

/** The credentials of a request, in each form in which a receiver might echo them. */
function sentCredentials(
  authorization: Record<string, string>,
  authentication: WebhookEndpoint['authentication'],
): string[] {
  const headerValues = Object.values(authorization).flatMap((value) => [
    value,
    value.slice(value.indexOf(' ') + 1),
  ])
  const secrets = [
    ...headerValues,
    ...(authentication && 'password' in authentication ? [authentication.password] : []),
  ]
  // replacing an empty text would put the mask between any two letters
  return secrets.filter((secret) => secret !== '')
}

/** The beginning of an answer, without the credentials and card numbers that a receiver may echo. */
function responseExcerpt({ text }: MerchantAnswer, secrets: string[]): string {
  let masked = text
  for (const secret of secrets) masked = masked.replaceAll(secret, '********')
  return toStorableText(withoutCardNumbers(masked.slice(0, 4 * MAX_RESPONSE_CHARACTERS)))
}

/** The text in a form that PostgreSQL accepts in JSON: no NUL characters, no half of a surrogate pair. */
const toStorableText = (text: string) =>
  text.slice(0, MAX_RESPONSE_CHARACTERS).replaceAll('\0', '').toWellFormed()
