import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A TCP load balancer over the ready processes. */
export interface Balancer {
  url: string
  port: number
  /** Resolves once it sends connections to the process at this port. */
  reaches(port: number): Promise<void>
  close(): Promise<void>
}

const CHECK_MS = 100

export interface Destination {
  host: string
  port: number
}

/** A plain TCP load balancer: each connection goes to the next of the destinations that are there by then. */
export async function balanceOver(
  there: () => readonly Destination[],
): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((near) => {
    const destinations = [...there()]
    sockets.add(near)
    near.setNoDelay(true)
    near.on('error', () => undefined).on('close', () => sockets.delete(near))
    const first = turn++
    const reach = (attempt: number) => {
      const destination = destinations[(first + attempt) % destinations.length]
      if (destination === undefined || attempt === destinations.length) return void near.destroy()
      const far = connect({ ...destination, noDelay: true })
      // nothing was sent: another process may take it
      const refused = () => reach(attempt + 1)
      far.on('error', () => undefined).once('error', refused)
      far.once('connect', () => {
        far.off('error', refused)
        far.on('error', () => near.destroy()).on('close', () => near.destroySoon())
        near.on('close', () => far.destroy())
        near.pipe(far).pipe(near)
        if (near.destroyed) far.destroy()
      })
    }
    reach(0)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Balances connections over the processes at these ports; their readiness is checked ten times a second. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const ready = new Set<number>()
  const changes = new EventEmitter()
  let closed = false
  const watch = async (port: number) => {
    for (; !closed; await wait(CHECK_MS)) {
      const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.ok
        },
        () => false,
      )
      if (isReady) ready.add(port)
      else ready.delete(port)
      if (isReady) changes.emit('ready')
    }
  }
  const watching = ports.map(watch)
  const { port, close } = await balanceOver(() =>
    [...ready].map((each) => ({ host: '127.0.0.1', port: each })),
  )
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async reaches(member) {
      while (!ready.has(member)) await once(changes, 'ready')
    },
    async close() {
      closed = true
      await Promise.all([...watching, close()])
    },
  }
}
