import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { CredentialCheck, RegistrationAnswer } from '../contract/connector.ts'
import { readBackOfficeAnswer } from '../wire/back-office-answer.ts'
import { Compile } from '../wire/compile.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import type { AdyenOptions } from './environment.ts'
import { type AdyenRequest, merchantAccountOf, send } from './wire.ts'

const DESCRIPTION = 'Railyard'

const webhook = Compile(Type.Object({ id: Type.String({ minLength: 1 }), url: Type.Optional(Type.String()) }))
const webhooks = Compile(
  Type.Object({
    data: Type.Optional(
      Type.Array(Type.Object({ id: Type.Optional(Type.String()), url: Type.Optional(Type.String()) })),
    ),
    pagesTotal: Type.Integer(),
  }),
)
const hmac = Compile(Type.Object({ hmacKey: Type.String({ pattern: '^(?:[0-9A-Fa-f]{2}){16,}$' }) }))

/** What a step of the registration brings: a value, or the answer that ends it. */
type Step<T> = { value: T } | { ended: RegistrationAnswer }

async function ask<T>(
  options: AdyenOptions,
  call: ServiceCall,
  request: Omit<AdyenRequest, 'api'>,
  read: (body: unknown) => T | undefined,
): Promise<Step<T>> {
  const answer = readBackOfficeAnswer(
    await send(options, call, { api: 'management', ...request }),
    ({ detail, title }) => nonEmptyText(detail) ?? nonEmptyText(title),
  )
  if ('ended' in answer) return answer
  const value = read(answer.body)
  return value === undefined
    ? { ended: { status: 'unknown', reason: 'the answer cannot be read' } }
    : { value }
}

const merchantPath = (call: ServiceCall) =>
  `/merchants/${encodeURIComponent(merchantAccountOf(call))}/webhooks`

/** The most pages of webhooks that are read to find our own. */
const MAX_PAGES = 20

/** The webhook that an earlier registration made: the one with our URL. Null: there is none. */
async function findOwn(options: AdyenOptions, call: ServiceCall): Promise<Step<string | null>> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const path = `${merchantPath(call)}?pageNumber=${page}&pageSize=100`
    const listed = await ask(options, call, { method: 'GET', path }, (body) =>
      webhooks.Check(body) ? body : undefined,
    )
    if ('ended' in listed) return listed
    const own = listed.value.data?.find(({ url }) => url === call.service.notificationUrl)
    if (own?.id !== undefined) return { value: own.id }
    if (page >= listed.value.pagesTotal) break
  }
  return { value: null }
}

/**
 * Registers our URL for the provider's standard webhook, and has a new key made that signs it. The key is shown
 * once; it takes some minutes until the provider uses it.
 */
export async function registerNotifications(
  options: AdyenOptions,
  call: ServiceCall,
): Promise<RegistrationAnswer> {
  const settings = {
    url: call.service.notificationUrl,
    active: true,
    communicationFormat: 'json',
    description: DESCRIPTION,
  }
  const own = await findOwn(options, call)
  if ('ended' in own) return own.ended
  const registered = await ask(
    options,
    call,
    own.value === null
      ? { path: merchantPath(call), body: { ...settings, type: 'standard' } }
      : { method: 'PATCH', path: `${merchantPath(call)}/${encodeURIComponent(own.value)}`, body: settings },
    (body) => (webhook.Check(body) ? body.id : undefined),
  )
  if ('ended' in registered) return registered.ended
  const key = await ask(
    options,
    call,
    { path: `${merchantPath(call)}/${encodeURIComponent(registered.value)}/generateHmac` },
    (body) => (hmac.Check(body) ? body.hmacKey : undefined),
  )
  return 'ended' in key ? key.ended : { status: 'registered', fields: { hmac_key: key.value } }
}

/** Whether the key is accepted, and may see what payment methods this merchant account has. */
export async function verifyCredentials(options: AdyenOptions, call: ServiceCall): Promise<CredentialCheck> {
  const answer = await send(options, call, {
    api: 'checkout',
    path: '/paymentMethods',
    body: { merchantAccount: merchantAccountOf(call) },
  })
  if (answer === null) return 'refused'
  if (answer.lost || answer.status >= 500 || answer.status === 429) return 'no answer'
  return answer.status === 200 ? 'accepted' : 'refused'
}
