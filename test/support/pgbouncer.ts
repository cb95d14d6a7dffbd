import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../crash/crashes.ts'
import { asPostgres } from './own-postgres.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/** Debian's package; scripts/install-packages.sh installs it. */
export const hasPgbouncer = existsSync(PROGRAM)

/** A PgBouncer in front of the server of `databaseUrl`, with its defaults but for these settings. */
export async function startPgbouncer(
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-pgbouncer-'))
  const server = new URL(databaseUrl)
  const port = await freePort()
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]\n* = host=${server.hostname} port=${server.port} user=${server.username}\n[pgbouncer]\n${Object.entries(
      all,
    )
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  )
  // it refuses to run as root, as PostgreSQL does
  if (asPostgres.length > 0) execFileSync('chown', ['-R', 'postgres', folder])
  const [program = '', ...args] = [...asPostgres, PROGRAM, '-q', file]
  const child = spawn(program, args, { stdio: 'ignore', cwd: '/' })
  const ended = once(child, 'exit')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    await wait(20)
  }
  server.port = String(port)
  return {
    url: server.href,
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

const accepts = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect').then(
    () => {
      socket.destroy()
      return true
    },
    () => false,
  )
}
