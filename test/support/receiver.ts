import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import {
  insertWebhookSubscription,
  openWebhookSecrets,
} from '../../src/events/subscriptions/webhook-subscription.store.ts'
import type { WebhookAuthentication } from '../../src/events/subscriptions/webhook-subscription.ts'
import type { TestRailyard } from './railyard.ts'

/** A webhook that a receiver got. */
export interface Received {
  headers: IncomingHttpHeaders
  text: string
  // a test may read any member of a webhook
  // biome-ignore lint/suspicious/noExplicitAny: asserted by the test that reads it
  event: any
}

/** A merchant's server that receives webhooks. */
export interface Receiver {
  url: string
  received: Received[]
  /** Sets its answers from now on: a status, or a function. By default it answers 200. */
  answers(how: number | Answering): void
  /** Resolves when it has received this many in all. */
  hasReceived(count: number): Promise<void>
  /** Closes its port; `open` listens there again. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

type Answering = (received: Received, reply: ServerResponse) => void

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let answering: Answering = (_, reply) => void reply.writeHead(200).end('thanks')
  let watching: (() => void)[] = []
  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const one = { headers: request.headers, text, event: JSON.parse(text) }
    received.push(one)
    answering(one, reply)
    for (const watch of watching) watch()
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers(how) {
      answering = typeof how === 'number' ? (_, reply) => void reply.writeHead(how).end(`status ${how}`) : how
    },
    hasReceived: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (received.length < count) return
          watching = watching.filter((other) => other !== watch)
          resolve()
        }
        watching.push(watch)
        watch()
      }),
    down: close,
    up: () => listen(port),
    close,
  }
}

/** Subscribes a receiver to an account's events from now on; null: to every account's. */
export async function subscribe(
  { world }: Pick<TestRailyard, 'world'>,
  account: string | null,
  { url }: Pick<Receiver, 'url'>,
  authentication: WebhookAuthentication | null = null,
): Promise<{ id: string; secret: string }> {
  const row = await insertWebhookSubscription(world, {
    account,
    url,
    active: true,
    authentication,
    creator: null,
  })
  return { id: row.id, secret: openWebhookSecrets(world, row).signing[0] ?? '' }
}
