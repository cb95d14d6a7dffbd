import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { UnusableDatabase } from '../database.ts'
import { takeOutPassword } from '../postgres/hosts.ts'

/** The folder in which Debian has the programs of each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql'

/**
 * What pg_dump leaves out: security codes, although they are sealed, since they may not be stored (PCI DSS 4.0.1
 * §3.3.1) and buyers enter them again; and delegated payments, which could pay a second time if they came back
 * unused.
 */
export const dumpOptions = [
  '--format=custom',
  // the role may have another client_encoding, which lacks characters
  '--encoding=UTF8',
  // beside an upgrade that changes a table a nightly job ends with a message, and does not wait unnoticed
  '--lock-wait-timeout=10min',
  '--no-owner',
  '--no-privileges',
  '--exclude-table-data=security_codes',
  '--exclude-table-data=held_instruments',
  '--exclude-table-data=delegated_payments',
] as const

export const restoreOptions = [
  '--single-transaction',
  '--exit-on-error',
  '--no-owner',
  '--no-privileges',
] as const

/**
 * Writes a snapshot of the database, in the custom format of pg_dump, to an open file. Throws `UnusableDatabase`
 * with the program's message. `options`: further ones, which replace those of `dumpOptions`.
 */
export const dumpPostgres = (
  url: string,
  descriptor: number,
  options: readonly string[] = [],
): Promise<void> =>
  runTool('pg_dump', url, [...dumpOptions, ...options], descriptor).catch(
    // pg_dump has a time limit for locks alone
    instead(
      'statement timeout',
      'the backup waited too long for a table that another session changes, such as an upgrade (pg_stat_activity names it): try again once that is over',
    ),
  )

/** Restores a snapshot in one transaction. Throws `UnusableDatabase` with the program's message. */
export const restorePostgres = (url: string, file: string): Promise<void> =>
  runTool('pg_restore', url, [...restoreOptions, file], 'ignore').catch(
    instead(
      'permission denied for schema',
      'the role of DATABASE_URL may not create tables in this database: restore with the role that owns the schema (docs/guides/deploy.md, Database roles)',
    ),
  )

/** Throws the program's error again, and `advice` in its place if the program said `part`. */
const instead =
  (part: string, advice: string) =>
  (error: unknown): never => {
    throw error instanceof UnusableDatabase && error.message.includes(part)
      ? new UnusableDatabase(advice)
      : error
  }

/** The newest version on the machine: pg_dump refuses a server that is newer than itself. */
function findTool(name: string): string {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
    : []
  return versions.map((version) => join(DEBIAN, version, 'bin', name)).find(existsSync) ?? name
}

async function runTool(
  name: string,
  url: string,
  args: readonly string[],
  output: number | 'ignore',
): Promise<void> {
  // every user of the machine can see arguments, but not the environment
  const { url: dbname, password: PGPASSWORD } = takeOutPassword(url)
  const env = { ...process.env, ...(PGPASSWORD !== '' && { PGPASSWORD }) }
  const tool = spawn(findTool(name), [`--dbname=${dbname}`, ...args], {
    env,
    stdio: ['ignore', output, 'pipe'],
  })
  let said = ''
  tool.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const ended = Promise.withResolvers<number | null>()
  tool.on('close', ended.resolve)
  tool.on('error', ended.reject)
  const code = await ended.promise.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new UnusableDatabase(
      `${name} is not installed: it comes with PostgreSQL's client programs (Debian: apt install postgresql-client). Railyard's image does not have them: docs/guides/deploy.md, Backups`,
    )
  })
  if (code !== 0) throw new UnusableDatabase(said.trim() || `${name} ended with ${code}`)
}
