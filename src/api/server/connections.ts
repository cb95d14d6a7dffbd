import type { Socket } from 'node:net'
import type { App } from '../app.ts'

/** Load balancers keep idle connections for 60 s, and must be the first to close them. */
const KEEP_ALIVE_MS = 75_000

/**
 * How long idle connections are kept, for Node's HTTP server; `stopDelay` is the setting `STOP_DELAY_MS`. A
 * request that is sent while its connection is being closed is lost, and its client cannot know whether it
 * was read. So the server announces a keep-alive of at most the stop delay: at the end of a stop, clients use
 * no connection that was idle for all of it. The connection itself stays open longer, for clients that ignore
 * the announcement.
 */
export function keepAlive(stopDelay: number): { keepAliveTimeout: number; keepAliveTimeoutBuffer: number } {
  const announced = stopDelay > 0 ? Math.min(stopDelay, KEEP_ALIVE_MS) : KEEP_ALIVE_MS
  return { keepAliveTimeout: announced, keepAliveTimeoutBuffer: KEEP_ALIVE_MS + 1_000 - announced }
}

/** After this long, a request that was sent when the server stopped listening has arrived. */
const ARRIVED_MS = 2_000

/**
 * When the server closes, ends connections without a request yet: clients connect in advance, and such
 * connections would delay the stop by a minute.
 */
export function endUnusedConnections(app: App): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => unused.delete(socket))
  app.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of unused) socket.destroy()
    }, ARRIVED_MS).unref()
  })
}
