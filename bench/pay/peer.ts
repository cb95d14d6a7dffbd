import { createServer } from 'node:net'
import type { Generator, Load } from '../load.ts'
import { cpuMs, startNode } from '../processes.ts'
import type { Contender } from '../rounds.ts'
import { measureLoad } from './measure.ts'

/** Another server, which is measured in the same rounds. */
export interface Peer extends Contender {
  stop(): Promise<void>
}

/** The number of connections that every peer and our own server are compared with. */
export const CONNECTIONS = 32

type PeerLoad = Omit<Load, 'connections' | 'until'>

interface PeerProgram {
  name: string
  generator: Generator
  /** Arguments of Node. */
  args: readonly string[]
  /** The port is in `PORT` besides. */
  env?: Record<string, string>
  cwd?: string
  /** Processes whose CPU counts besides the program's. */
  alsoCounted?: readonly number[]
  load(url: string): PeerLoad
}

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** Starts a peer and waits until it answers its load's first request. Throws if it answers with an error. */
export async function startPeer(program: PeerProgram): Promise<Peer> {
  const { name, generator, args, env, cwd, alsoCounted = [] } = program
  const port = String(await freePort())
  const { pid, stop } = await startNode(
    args.map((argument) => argument.replace('$PORT', port)),
    { ...env, PORT: port },
    /^/,
    cwd,
  )
  const load = program.load(`http://127.0.0.1:${port}`)
  await answering(load)
  const cpu = () => cpuMs([pid, ...alsoCounted])
  return {
    name,
    stop,
    measure: (seconds) =>
      measureLoad(generator, { ...load, connections: CONNECTIONS, until: { seconds } }, cpu),
  }
}

const PATIENCE_MS = 60_000

async function answering({ url, paths, headers, body }: PeerLoad): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const answer = await fetch(`${url}${paths[0]}`, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    }).catch(() => undefined)
    if (answer?.ok) return
    if (answer) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within ${PATIENCE_MS / 1000} s`)
}
