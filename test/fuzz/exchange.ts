import { Agent, request as send } from 'node:http'
import type { Received } from './check-answer.ts'
import type { Request } from './requests.ts'

/** A request as it is sent. */
export type Outgoing = Pick<Request, 'method' | 'path' | 'headers' | 'body'>

/**
 * Sends requests that `fetch` does not allow: bodies with any method, and headers unchanged. Rejects if the
 * connection breaks without an answer.
 */
export function exchanger(
  url: string,
  connections: number,
): { exchange(request: Outgoing): Promise<Received>; close(): void } {
  // in parts: parsing a whole URL would remove `/.` from it
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const exchange = ({ method, path, headers, body }: Outgoing, again = true): Promise<Received> => {
    const { promise, resolve, reject } = Promise.withResolvers<Received>()
    const began = performance.now()
    const outgoing = send({
      hostname,
      port,
      path,
      method,
      agent,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    })
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          took: performance.now() - began,
        }),
      )
      answer.on('error', reject)
    })
    // a server may close an idle connection just when it is used again; HTTP allows this, so it is no finding
    outgoing.on('error', (error) =>
      again && outgoing.reusedSocket
        ? exchange({ method, path, headers, body }, false).then(resolve, reject)
        : reject(error),
    )
    outgoing.end(body)
    return promise
  }
  return { exchange, close: () => agent.destroy() }
}
