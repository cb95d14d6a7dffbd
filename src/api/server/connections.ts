import type { Socket } from 'node:net'
import type { App } from '../app.ts'

/** Load balancers keep connections that nobody uses for 60 s, and must be the first to close them. */
const KEEP_ALIVE_MS = 75_000

/**
 * A request that is sent while its connection is being closed is lost, and clients cannot know: those are told to use none that was idle for as long
 * as a stop leaves them (`STOP_DELAY_MS`), so that nobody uses those which are idle at its end. Who keeps them longer all the same finds them there.
 */
export function keepAlive(stopDelay: number): { keepAliveTimeout: number; keepAliveTimeoutBuffer: number } {
  const promised = stopDelay > 0 ? Math.min(stopDelay, KEEP_ALIVE_MS) : KEEP_ALIVE_MS
  return { keepAliveTimeout: promised, keepAliveTimeoutBuffer: KEEP_ALIVE_MS + 1_000 - promised }
}

/** A request that was sent as the server stopped listening has arrived by then. */
const ARRIVED_MS = 2_000

/** Clients connect in advance, and would keep a server that stops for a minute: ends connections that have brought no request, once it closes. */
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
