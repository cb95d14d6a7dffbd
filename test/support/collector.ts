import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An OpenTelemetry collector that stores what it receives. */
export interface Collector {
  url: string
  /** As they came. */
  bodies: string[]
  spans(): SentSpan[]
  /** Of the service that sent them. */
  resource(): Record<string, unknown>
  close(): Promise<void>
}

export interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code?: number; message?: string }
  events?: unknown[]
  attributes: Record<string, unknown>
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<SentSpan, 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

const plain = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sent = () => bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () =>
      sent().flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) =>
          scope.spans.map((span) => ({ ...span, attributes: plain(span.attributes) })),
        ),
      ),
    resource: () => plain(sent()[0]?.resource.attributes ?? []),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
