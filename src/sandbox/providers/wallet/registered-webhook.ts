import { type Static, Type } from 'typebox'
import { Compile } from '../../../base/compile.ts'
import { documentStore } from '../../core/documents.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'
import { notFound, walletError } from './errors.ts'
import { walletId } from './order.ts'

const EventTypes = Type.Array(Type.Object({ name: Type.String({ minLength: 1 }) }), {
  minItems: 1,
  maxItems: 500,
})
const WebhookRequest = Type.Object({
  url: Type.String({ format: 'url', maxLength: 2048 }),
  event_types: EventTypes,
})
const webhookRequest = Compile(WebhookRequest)
const eventTypesPatch = Compile(
  Type.Tuple([
    Type.Object({ op: Type.Literal('replace'), path: Type.Literal('/event_types'), value: EventTypes }),
  ]),
)

type RegisteredWebhook = Static<typeof WebhookRequest>

const webhooksOf = (service: string) => documentStore<RegisteredWebhook>(`wallet/webhook/${service}`)

const show = (id: string, { url, event_types }: RegisteredWebhook) => ({ id, url, event_types })

/** GET /v1/notifications/webhooks. */
export const listWebhooks = (sandbox: Sandbox, service: string): Answer =>
  json(200, {
    webhooks: webhooksOf(service)
      .list(sandbox)
      .map(({ id, document }) => show(id, document)),
  })

/** POST /v1/notifications/webhooks: a URL has one webhook. */
export function registerWebhook(sandbox: Sandbox, service: string, body: unknown): Answer {
  if (!webhookRequest.Check(body)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const store = webhooksOf(service)
  if (store.list(sandbox).some(({ document }) => document.url === body.url))
    return walletError(400, 'WEBHOOK_URL_ALREADY_EXISTS')
  const id = walletId(sandbox)
  const { url, event_types } = body
  return json(201, show(id, store.store(sandbox, id, { url, event_types })))
}

/** PATCH /v1/notifications/webhooks/{id}: replaces its events. */
export function changeWebhook(sandbox: Sandbox, service: string, id: string, body: unknown): Answer {
  const store = webhooksOf(service)
  const known = store.find(sandbox, id)
  if (!known) return notFound
  if (!eventTypesPatch.Check(body)) return walletError(400, 'INVALID_PARAMETER_SYNTAX')
  const [{ value }] = body
  return json(200, show(id, store.store(sandbox, id, { ...known, event_types: value })))
}
