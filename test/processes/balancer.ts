import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A plain TCP load balancer: round robin over the ready processes. */
export interface Balancer {
  url: string
  port: number
  /** Resolves once it sends connections to the process at this port. */
  reaches(port: number): Promise<void>
  close(): Promise<void>
}

const CHECK_MS = 100

/** Balances connections over the processes at these ports; their readiness is checked ten times a second. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const ready = new Set<number>()
  const changes = new EventEmitter()
  const sockets = new Set<Socket>()
  let turn = 0
  let closed = false
  const server = createServer((near) => {
    const there = [...ready]
    sockets.add(near)
    near.setNoDelay(true)
    near.on('error', () => undefined).on('close', () => sockets.delete(near))
    const first = turn++
    const reach = (attempt: number) => {
      const port = there[(first + attempt) % there.length]
      if (port === undefined || attempt === there.length) return void near.destroy()
      const far = connect({ port, host: '127.0.0.1', noDelay: true })
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async reaches(member) {
      while (!ready.has(member)) await once(changes, 'ready')
    },
    async close() {
      closed = true
      for (const socket of sockets) socket.destroy()
      await Promise.all([...watching, new Promise((resolve) => server.close(resolve))])
    },
  }
}
