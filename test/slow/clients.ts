import { connect, type Socket } from 'node:net'

/** The target of the slow clients. */
export interface Target {
  port: number
  token: string
}

export type Slowness = 'header' | 'body' | 'read'

/**
 * Ways to keep a server waiting: a header or a body that comes a byte at a time, or an answer that is not
 * fetched.
 */
const opening: Record<Slowness, (target: Target) => string> = {
  header: () => 'GET /transactions HTTP/1.1\r\nhost: x\r\nx-slow: ',
  body: ({ token }) =>
    `POST /buyers HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n{"display_name":"`,
  // the API document is what an answer can be at most without an account
  read: () => 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(4),
}

export interface SlowClients {
  /** How many are connected still. */
  open(): number
  close(): void
}

const BYTE_EVERY_MS = 5_000

/** Opens this many connections, a third of each kind, and keeps them as slow as possible. */
export async function slowClients(target: Target, count: number): Promise<SlowClients> {
  const sockets = new Set<Socket>()
  const kinds: Slowness[] = ['header', 'body', 'read']
  const connected = (index: number) => {
    const kind = kinds[index % kinds.length] ?? 'header'
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = connect(target.port, '127.0.0.1', () => {
      socket.write(opening[kind](target))
      if (kind === 'read') socket.pause()
      else socket.resume()
      resolve()
    })
    sockets.add(socket)
    socket.on('error', () => resolve())
    socket.on('close', () => sockets.delete(socket))
    const drip = setInterval(() => (kind === 'read' ? socket.read(1) : socket.write('a')), BYTE_EVERY_MS)
    socket.on('close', () => clearInterval(drip))
    return promise
  }
  // by fifties, as the backlog of a listener takes them
  for (let index = 0; index < count; index += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - index) }, (_, each) => connected(index + each)),
    )
  return {
    open: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The bytes that come back for a message, and the milliseconds until the first of them. */
export function firstAnswer(
  { port }: Pick<Target, 'port'>,
  message: string,
): Promise<{ ms: number; answer: string }> {
  const { promise, resolve } = Promise.withResolvers<{ ms: number; answer: string }>()
  const socket = connect(port, '127.0.0.1', () => {
    const began = performance.now()
    socket.once('data', (data) => {
      resolve({ ms: performance.now() - began, answer: data.toString() })
      socket.destroy()
    })
    socket.once('error', (error) => resolve({ ms: performance.now() - began, answer: String(error) }))
    socket.write(message)
  })
  return promise
}
