import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../crash/crashes.ts'

/** A PostgreSQL of a test's own, on loopback, with the newest version on the machine. */
export interface OwnPostgres {
  url: string
  host: string
  /** Makes a standby the primary, and waits until it takes writes. */
  promote(): Promise<void>
  /** Ends it as a power failure does. */
  kill(): Promise<void>
  close(): Promise<void>
}

const DEBIAN = '/usr/lib/postgresql'
const run = promisify(execFile)

/** The folder of PostgreSQL's programs (scripts/with-postgres.sh installs them); undefined: there is none. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}

/** PostgreSQL refuses to run as root. */
export const asPostgres = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

interface Options {
  /** Such as `fsync=on`; by default a test's server does not wait for a disk. */
  settings?: readonly string[]
  /** It becomes a standby of this server. */
  standbyOf?: Pick<OwnPostgres, 'url'>
}

export async function startOwnPostgres({
  settings = ['fsync=off'],
  standbyOf,
}: Options = {}): Promise<OwnPostgres> {
  const programs = postgresPrograms()
  if (!programs)
    throw new TypeError('there is no PostgreSQL on this machine: scripts/with-postgres.sh installs one')
  const folder = await mkdtemp(join(tmpdir(), 'railyard-postgres-'))
  if (asPostgres.length > 0) await run('chown', ['postgres', folder])
  const data = join(folder, 'data')
  const call = async (program: string, ...args: string[]) => {
    const [first = '', ...rest] = [...asPostgres, join(programs, program), ...args]
    await run(first, rest, { cwd: '/' })
  }
  if (standbyOf) await call('pg_basebackup', '-d', standbyOf.url, '-D', data, '-R', '-c', 'fast', '--no-sync')
  else await call('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const port = await freePort()
  const options = [
    `-p ${port}`,
    `-k ${folder}`,
    ...['listen_addresses=127.0.0.1', ...settings].map((each) => `-c ${each}`),
  ]
  await call('pg_ctl', '-D', data, '-l', '/dev/null', '-w', '-o', options.join(' '), 'start')
  const stop = () => call('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    host: `127.0.0.1:${port}`,
    promote: () => call('pg_ctl', '-D', data, '-w', 'promote'),
    kill: stop,
    async close() {
      await stop().catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
