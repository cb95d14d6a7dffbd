import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Settings of processes that many payments are sent to. */
export const underLoad = {
  PROVIDER_TIMEOUT_MS: '800',
  RECOVERY_INTERVAL_MS: '200',
  // all buyers come from this machine, with few different cards
  CARD_ATTEMPTS_PER_ADDRESS: '0',
  CARD_ATTEMPTS_PER_BIN: '0',
  LOG_LEVEL: 'error',
} as const

/** The folder of this version. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A process's output and its end. */
export interface Ended {
  /** Null: a signal ended it. */
  code: number | null
  output: string
}

export interface Ready {
  url: string
  ms: number
  /**
   * Of processor time: comparable between machines with other work to do. Null where the system does not
   * tell.
   */
  cpuMs: number | null
}

export interface Running {
  pid: number
  /** Resolves when it is ready, with its URL and its start time; rejects if it ends before. */
  ready: Promise<Ready>
  ended: Promise<Ended>
  /** Resolves once the output has this text; rejects when the process ends before. */
  printed(text: string): Promise<void>
  /** SIGKILL, now. */
  kill(): void
  /** SIGTERM, and SIGKILL where that is not enough within 20 s. */
  stop(): Promise<Ended>
}

const TICK_MS = 10

/** Processor time that a process has used (proc(5): utime and stime, in ticks of 10 ms). */
function cpuMs(pid: number | undefined): number | null {
  try {
    const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(user) + Number(system)) * TICK_MS
  } catch {
    return null
  }
}

const TIMEOUT_MS = 20_000

/**
 * Starts `node …args` in `folder` with only these variables. `says` matches the line that it prints when it
 * is ready; its first group is the URL.
 */
export function launch(
  args: readonly string[],
  env: Record<string, string>,
  says: RegExp,
  folder = root,
): Running {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const orphan = () => void child.kill('SIGKILL')
  process.once('exit', orphan)
  const ready = Promise.withResolvers<Ready>()
  const ended = Promise.withResolvers<Ended>()
  ready.promise.catch(() => undefined) // a test that kills it while it starts does not wait for it
  let output = ''
  const awaited = new Map<string, PromiseWithResolvers<void>>()
  const read = (chunk: Buffer) => {
    output += chunk
    for (const [text, { resolve }] of awaited) if (output.includes(text)) resolve()
    const [, url] = says.exec(output) ?? []
    if (url) ready.resolve({ url, ms: Math.round(performance.now() - began), cpuMs: cpuMs(child.pid) })
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  child.on('close', (code) => {
    process.off('exit', orphan)
    ready.reject(new Error(`${args.join(' ')} ended (${code}) before it was ready:\n${output}`))
    for (const [text, { reject }] of awaited)
      reject(new Error(`${args.join(' ')} ended (${code}) and did not print ${text}:\n${output}`))
    ended.resolve({ code, output })
  })
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    ended: ended.promise,
    printed(text) {
      const seen = Promise.withResolvers<void>()
      awaited.set(text, seen)
      if (output.includes(text)) seen.resolve()
      return seen.promise
    },
    kill: () => void child.kill('SIGKILL'),
    stop() {
      child.kill('SIGTERM')
      const impatience = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
      return ended.promise.finally(() => clearTimeout(impatience))
    },
  }
}

export const launchRailyard = (env: Record<string, string>): Running =>
  launch(['src/main.js', 'start'], env, /API +(http:\S+)\n/)

/** A worker's URL is the one of its health. `folder` has the version to run; by default this one. */
export const launchRole = (role: 'api' | 'worker', env: Record<string, string>, folder?: string): Running =>
  launch(
    ['src/main.js', 'start', '--role', role],
    env,
    role === 'api' ? /API +(http:\S+)\n/ : /Health +(http:\S+)\/health\/ready\n/,
    folder,
  )

export const launchSimulator = (booksFile: string, pendingMs: number): Running =>
  launch(
    [
      'src/main.js',
      'sandbox',
      '--port',
      '0',
      '--books',
      booksFile,
      '--fsync',
      '--pending-ms',
      String(pendingMs),
    ],
    {},
    /listening on (http:\S+)/,
  )

/** `railyard migrate` of the version in `folder`; absent: of this one. */
export const runMigrate = (env: Record<string, string>, folder?: string): Promise<Ended> =>
  launch(['src/main.js', 'migrate'], env, /(?!)/, folder).ended

/** `railyard verify` on the stopped instance. */
export const runVerify = (env: Record<string, string>): Promise<Ended> =>
  launch(['src/main.js', 'verify'], env, /(?!)/).ended
