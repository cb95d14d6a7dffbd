import type { Command } from 'commander'
import { ApiError } from '../api/errors.ts'
import { UnusableDatabase } from '../database/database.ts'
import { FolderInUse } from '../database/embedded/folder-lock.ts'
import {
  INSUFFICIENT_PRIVILEGE,
  LOCK_NOT_AVAILABLE,
  QUERY_CANCELED,
  TOO_MANY_CONNECTIONS,
} from '../database/error-codes.ts'
import { CONNECT_TIMEOUT, QUERY_TIMEOUT } from '../database/postgres/error-text.ts'
import { InvalidSetting } from '../settings.ts'
import { program } from './program.ts'
import { UserError } from './support/user-error.ts'

/** Lets a usage error name the help page of its command. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(
    `(${path} --help ${command.commands.length > 0 ? 'lists the commands' : 'lists its options'})`,
  )
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`)
}
pointToHelp(program, 'railyard')

const waited = (message: string): string =>
  `the database did not answer in time: ${message}. Another session keeps it waiting (pg_stat_activity names it): end that one, or try again later`

const tooFewConnections = (message: string): string =>
  `the database has no free connection for this process: ${message}. A process takes DATABASE_POOL_SIZE + 3: raise max_connections, the role’s limit or PgBouncer’s default_pool_size, or lower DATABASE_POOL_SIZE (docs/guides/deploy.md, “Sizing”)`

/** What an operator does about an error of the database, by its code. */
const databaseMessages: Record<string, (message: string) => string> = {
  [INSUFFICIENT_PRIVILEGE]: (message) =>
    `the role of DATABASE_URL lacks a privilege: ${message}. Grant it what docs/guides/deploy.md has under “Database roles”, or use the role that owns the tables`,
  [LOCK_NOT_AVAILABLE]: waited,
  [QUERY_CANCELED]: waited,
  [TOO_MANY_CONNECTIONS]: tooFewConnections,
}

/**
 * Prints an error that the operator can fix as one line; any other is a defect, and is printed with its
 * stack.
 */
function report(error: unknown): void {
  const message = operatorMessage(error)
  console.error(message === undefined ? error : `railyard: ${message}`)
  process.exitCode = 1
}

function operatorMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ([UserError, InvalidSetting, FolderInUse, UnusableDatabase].some((kind) => error instanceof kind))
    return error.message
  // 503: the key service does not answer
  if (error instanceof ApiError && error.reason) return error.reason
  if (error.message.startsWith(CONNECT_TIMEOUT) || error.message === QUERY_TIMEOUT)
    return tooFewConnections(error.message)
  if (!('code' in error)) return undefined
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return error.message
  return databaseMessages[String(error.code)]?.(error.message)
}

// `railyard … | head` closes the pipe early
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

await program.parseAsync().catch(report)
