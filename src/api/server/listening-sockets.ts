import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { App } from '../app.ts'

/**
 * The queue of connections to accept, for each listening socket. With Node's 511 a burst overflows it, and clients try
 * again after one second and after three.
 */
const ACCEPT_QUEUE_LENGTH = 4_096
/**
 * The event loop accepts one connection of a listening socket in each of its turns. A busy process has few turns a
 * second, so that new connections, those of health checks among them, waited for many seconds where nothing refuses
 * them. More sockets than this made no difference.
 */
export const LISTENING_SOCKETS = 128
/** Other systems cannot listen at one port with several sockets; those have one. */
const canSharePort = process.platform === 'linux'

/** A server that listens. */
export interface ListeningServer {
  url: string
  /** Accepts no further connections, and resolves once all requests are answered and all connections ended. */
  close(): Promise<void>
}

/**
 * Listens at a port (0: a free one) with this many sockets, among which the kernel distributes new connections. Throws
 * if another process listens at the port.
 */
export async function listenWithSockets(
  app: App,
  { port, host, sockets }: { port: number; host: string; sockets: number },
): Promise<ListeningServer> {
  const options = { host, backlog: ACCEPT_QUEUE_LENGTH, reusePort: canSharePort }
  // processes of one user could share the port unnoticed
  if (canSharePort && port !== 0) await stopListening(await listen({ host, port }))
  const url = await app.listen({ ...options, port })
  const further: Server[] = []
  const close = async () => {
    await Promise.all([app.close(), ...further.map(stopListening)])
  }
  try {
    if (canSharePort)
      for (const bound of app.addresses().filter((each) => typeof each === 'object'))
        for (let count = 1; count < sockets; count++)
          further.push(await listen({ ...options, host: bound.address, port: bound.port }, app))
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Listens with one socket. `app` gets its connections. */
async function listen(options: { host: string; port: number }, app?: App): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app?.server.emit('connection', socket),
  )
  // one that cannot be accepted later does not end the process
  server.on('error', () => undefined)
  await once(server.listen(options), 'listening')
  return server
}

const stopListening = (server: Server) => once(server.close(), 'close')
