import type { IncomingMessage } from 'node:http'
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

/** After this long, the rest of a request that had begun then has arrived, unless its client is gone. */
const COMPLETE_MS = 10_000

/**
 * When the server closes, ends connections without a request yet, since clients connect in advance, and later those
 * whose request is not complete: nothing was done for it. Node does not watch the time that a request takes any
 * more, so that such connections would delay the stop without end.
 */
export function endUnusedConnections(app: App): void {
  const latest = new Map<Socket, IncomingMessage | undefined>()
  app.server.on('connection', (socket) => {
    latest.set(socket, undefined)
    socket.once('close', () => latest.delete(socket))
  })
  app.server.on('request', (request) => latest.set(request.socket, request))
  const destroyWhere = (isUseless: (request: IncomingMessage | undefined) => boolean) => {
    for (const [socket, request] of latest) if (isUseless(request)) socket.destroy()
  }
  app.addHook('preClose', async () => {
    setTimeout(destroyWhere, ARRIVED_MS, (request?: IncomingMessage) => request === undefined).unref()
    setTimeout(destroyWhere, COMPLETE_MS, (request?: IncomingMessage) => request?.complete === false).unref()
  })
}
