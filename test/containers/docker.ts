import { execFile, spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../crash/process.ts'

const run = promisify(execFile)
const options = { cwd: root, maxBuffer: 64 * 2 ** 20 }

/** Runs docker, and answers what it prints. Throws with its error output. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, options)
  return stdout.trim()
}

/** The engine's own record of a container, as far as the tests read it. */
export interface Container {
  Id: string
  State: {
    Status: string
    ExitCode: number
    OOMKilled: boolean
    Pid: number
    Health?: { Status: string; Log: { ExitCode: number; Output: string }[] }
  }
  HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[] | null; SecurityOpt: string[] | null }
}

export async function inspect(container: string): Promise<Container> {
  const [found] = JSON.parse(await docker('container', 'inspect', container))
  return found
}

const LOOK_EVERY_MS = 100

/** Looks until `found` gives something else than undefined, and answers that. Throws after `withinMs`. */
export async function until<T>(
  what: string,
  found: () => Promise<T | undefined> | T | undefined,
  withinMs: number,
): Promise<T> {
  for (const end = Date.now() + withinMs; ; await wait(LOOK_EVERY_MS)) {
    const value = await found()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`${what}: not within ${withinMs} ms`)
  }
}

/** Waits until the health check of the image or of compose.yaml says so; milliseconds from now. */
export async function healthy(container: string, withinMs = 120_000): Promise<number> {
  const began = performance.now()
  await until(
    `${container} healthy`,
    async () => {
      const { State } = await inspect(container)
      if (State.Status === 'exited') throw new Error(`${container} ended: ${await logsOf(container)}`)
      return State.Health?.Status === 'healthy' ? true : undefined
    },
    withinMs,
  )
  return Math.round(performance.now() - began)
}

/** The last lines of both outputs of a container. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', '--tail', '20', container], options)
  return `${stdout}${stderr}`
}

/** Calls `line` with each line that a container prints from now on, until its end or the answer's call. */
export function follow(container: string, line: (text: string) => void): () => void {
  const following = spawn('docker', ['logs', '--follow', '--tail', '0', container], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let rest = ''
  for (const output of [following.stdout, following.stderr])
    output.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) line(each)
    })
  return () => void following.kill()
}
