import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { insertWebhookSubscription, openWebhookSecrets } from '../../src/events/subscriptions/webhook-subscription.store.ts'
import type { WebhookAuthentication } from '../../src/events/subscriptions/webhook-subscription.ts'
import type { TestRailyard } from './railyard.ts'

/** What a receiver was sent. */
export interface Received {
  headers: IncomingHttpHeaders
  text: string
  // a test reads whatever was sent
  // biome-ignore lint/suspicious/noExplicitAny: asserted by the test that reads it
  event: any
}

/** A merchant's server that is told of events. */
export interface Receiver {
  url: string
  received: Received[]
  /** How it answers from now on: a status, or what a function does. It answers 200 until it is told otherwise. */
  answers(how: number | Answering): void
  /** Resolves when it has been sent this many in all. */
  hasReceived(count: number): Promise<void>
  /** Nobody listens at its URL; `open` listens there again. */
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

/** Has a receiver told of what happens from now on in an account; of every account, where that is null. */
export async function subscribe(
  { world }: Pick<TestRailyard, 'world'>,
  account: string | null,
  { url }: Pick<Receiver, 'url'>,
  authentication: WebhookAuthentication | null = null,
): Promise<{ id: string; secret: string }> {
  const row = await insertWebhookSubscription(world, { account, url, active: true, authentication, creator: null })
  return { id: row.id, secret: openWebhookSecrets(world, row).signing[0] ?? '' }
}
