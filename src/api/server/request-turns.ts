import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'

/** Requests that one turn of the event loop handles while it reads. */
const AT_ONCE = 64

/**
 * Handles further requests of a turn once the event loop has read all that has arrived. It reads on as long as more
 * than a thousand sockets are readable, up to 48 times: clients on so many connections that repeat what was answered
 * at once, such as a 401, kept it there for seconds, while timers and requests to payment services had no turn. A
 * request that is handled after the reading has one answer in a turn.
 */
export function handleInTurns(handle: RequestListener): RequestListener {
  let handled = 0
  return (request, response) => {
    if (handled === 0)
      setImmediate(() => {
        handled = 0
      })
    handled += 1
    if (handled <= AT_ONCE) handle(request, response)
    else setImmediate(handle, request, response)
  }
}

/** The server that Fastify gets (`serverFactory`). `keepAliveTimeout`, `requestTimeout`: milliseconds. */
export function createHttpServer(
  handle: RequestListener,
  options: { http: ServerOptions; keepAliveTimeout: number; requestTimeout: number },
): Server {
  const server = createServer(options.http, handleInTurns(handle))
  server.keepAliveTimeout = options.keepAliveTimeout
  server.requestTimeout = options.requestTimeout
  return server
}
