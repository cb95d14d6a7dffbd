import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Compile } from '../../base/compile.ts'
import { DryRun, type DryRunRequest, noCopy } from './dry-run.ts'

const program = fileURLToPath(new URL('../../main.js', import.meta.url))
const answer = Compile(DryRun)

const MAX_ANSWER = 64 * 1024
const TIMEOUT_MS = 60_000
/**
 * What a sandbox in memory takes at its start, with room to spare. Without it the system might end a process, and
 * choose the one that serves payments.
 */
const NEEDED_BYTES = 1.5 * 2 ** 30
/** Those that wait for the one that runs. */
const MAX_WAITING = 4

/**
 * Returns a function that does a dry run in a process of its own (`railyard dry-run`). That process gets the
 * request and neither settings nor keys: its sandbox is in memory, reaches no network, and ends with it. One
 * runs at a time, since each takes as much memory as a small instance.
 */
export function dryRunStarter(): (request: DryRunRequest) => Promise<DryRun> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (request) => {
    if (process.availableMemory() < NEEDED_BYTES)
      return noCopy('the server has less than 1.5 GiB of free memory, which the sandbox of a dry run takes')
    if (waiting > MAX_WAITING) return noCopy('other dry runs are under way; try again in a minute')
    waiting += 1
    const running = last.then(() => run(request))
    last = running.catch(() => undefined)
    try {
      return await running
    } finally {
      waiting -= 1
    }
  }
}

const { PATH = '', TMPDIR = '' } = process.env

async function run(request: DryRunRequest): Promise<DryRun> {
  const child = spawn(process.execPath, [program, 'dry-run'], {
    env: { PATH, ...(TMPDIR && { TMPDIR }), RAILYARD_ENV: 'sandbox' },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length <= MAX_ANSWER) text += chunk
  })
  // a process that cannot start, or has ended, reads nothing
  child.stdin.on('error', () => undefined).end(JSON.stringify(request))
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => resolve(null))
  })
  if (code !== 0 || text.length > MAX_ANSWER) return noCopy('the sandbox of the dry run could not be started')
  const result: unknown = JSON.parse(text)
  return answer.Check(result) ? result : noCopy('the sandbox of the dry run has failed')
}
