import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** strace is missing or may not trace other processes; the message is for the person at the command line. */
export class CannotTrace extends Error {}

const CALLS = 'fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg'
/** Enough of a message to identify it. */
const SHOWN_BYTES = 3_000

export interface Trace {
  /** Ends the trace and returns its output. */
  stop(): Promise<string>
}

/**
 * Traces these processes, their threads and children. Resolves once each is traced or has ended. Throws
 * `CannotTrace`.
 */
export async function trace(pids: readonly number[], file: string): Promise<Trace> {
  const args = [
    '-f',
    '-y',
    '-s',
    String(SHOWN_BYTES),
    '-e',
    `trace=${CALLS}`,
    '-e',
    'signal=none',
    '-o',
    file,
    ...pids.flatMap((pid) => ['-p', String(pid)]),
  ]
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const orphan = () => void strace.kill('SIGTERM')
  process.once('exit', orphan)
  const ended = endOf(strace)
  let said = ''
  strace.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  let over: string | undefined
  void ended.then((reason) => {
    over = reason
  })
  const isFollowed = (pid: number) => said.includes(`Process ${pid} attached`) || !existsSync(`/proc/${pid}`)
  while (!pids.every(isFollowed)) {
    if (over !== undefined) throw new CannotTrace(`strace ${over}: ${said.trim()}`)
    await wait(20)
  }
  return {
    async stop() {
      process.off('exit', orphan)
      strace.kill('SIGINT')
      await ended
      if (!existsSync(file)) throw new CannotTrace(`strace wrote nothing: ${said.trim()}`)
      return readFileSync(file, 'utf8')
    },
  }
}

/** How the process ended, as text. */
const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'is not installed (apt-get install strace)' : error.message),
    )
    child.once('close', (code, signal) => resolve(`ended with ${code ?? signal}`))
  })
