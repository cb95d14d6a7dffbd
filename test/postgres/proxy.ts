import { createServer, connect as reach, type Socket } from 'node:net'

/** How a way to a server fails: packets vanish, connections are reset and new ones refused. */
export type Failure = 'black hole' | 'reset'

/** A TCP way to a server that can be cut. */
export interface Way {
  port: number
  /** From now on, for every connection, until `mend`. */
  fail(failure: Failure): void
  /**
   * New connections get through again. What vanished stays lost, as packets of a connection whose other end
   * has forgotten it.
   */
  mend(): void
  close(): Promise<void>
}

export async function startProxy(host: string, port: number): Promise<Way> {
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let failure: Failure | undefined
  const server = createServer({ pauseOnConnect: true }, (near) => {
    near.on('error', () => undefined)
    if (failure === 'reset') return void near.resetAndDestroy()
    // the other side neither reads nor answers
    if (failure === 'black hole') return void swallowed.add(near)
    const far = reach(port, host)
    const pair = { near, far }
    pairs.add(pair)
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => {
      pairs.delete(pair)
      if (!swallowed.has(near)) near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  })
  const swallowed = new Set<Socket>()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    fail(how) {
      failure = how
      for (const { near, far } of pairs) {
        if (how === 'reset') near.resetAndDestroy()
        else {
          near.unpipe(far)
          near.pause()
          swallowed.add(near)
        }
        far.destroy()
      }
    },
    mend() {
      failure = undefined
    },
    async close() {
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy()
      for (const socket of swallowed) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
