import { systemClock } from '../base/clock.ts'
import { prepareDataDir } from '../base/data-dir.ts'
import { sandboxBooks } from '../process/railyard.ts'
import { startSimulator } from '../sandbox/simulator.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './support/user-error.ts'

export interface SandboxCommand {
  port: string
  host: string
  /** File of the providers' books; default: that of a server with the providers inside. */
  books?: string
  fsync?: boolean
  pendingMs: string
}

const isWholeNumber = (text: string, max: number) => /^\d{1,9}$/.test(text) && Number(text) <= max

/**
 * `railyard sandbox`: runs the sandbox's providers in a process of their own, for several servers on one
 * database. Their books outlive each server.
 */
export async function sandbox(
  settings: Settings,
  { port, host, books, fsync = false, pendingMs }: SandboxCommand,
): Promise<void> {
  if (!isWholeNumber(port, 65_535)) throw new UserError('--port must be a whole number from 0 to 65535')
  if (!isWholeNumber(pendingMs, 999_999_999)) throw new UserError('--pending-ms must be a whole number')
  if (books === undefined) await prepareDataDir(settings)
  const booksFile = books ?? sandboxBooks(settings)
  const simulator = await startSimulator({
    clock: systemClock,
    port: Number(port),
    host,
    booksFile,
    fsync,
    pendingMs: Number(pendingMs),
  }).catch((error) => {
    throw cannotStart(error, booksFile, host, port)
  })
  console.log(`sandbox listening on ${simulator.url}`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => simulator.close().then(() => process.exit(0)))
}

/** The error of a failed start, in terms of the options: it is about the address or the books. */
function cannotStart(error: NodeJS.ErrnoException, books: string, host: string, port: string): Error {
  if (error.code === 'EADDRINUSE') return new UserError(`--port ${port} is in use; choose another`)
  if (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
    return new UserError(`--host ${host} --port ${port} cannot be listened on: ${error.code}`)
  return error.syscall ? new UserError(`the books cannot be kept in ${books}: ${error.message}`) : error
}
