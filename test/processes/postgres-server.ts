import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'

/** The PostgreSQL of `DATABASE_URL`, which is on this machine and ours to harm (scripts/with-postgres.sh). */
export interface PostgresServer {
  /** Ends it as a power failure does, and waits until it is gone. */
  kill(): Promise<void>
  /** Starts it again with the options that it had; it recovers by itself. */
  start(): Promise<void>
  /** No process of it runs any more until `thaw`: connections stay, and none is answered. */
  freeze(): void
  thaw(): void
  /** False once it has given up by itself: on a full disk it cannot even recover. */
  runs(): boolean
  /** Moves its files into another folder, which it may enter. It is stopped for that. */
  moveInto(folder: string): Promise<void>
}

export async function postgresServer(url: string): Promise<PostgresServer> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ folder: string }>(
    `select current_setting('data_directory') as folder`,
  )
  await client.end()
  const { folder = '' } = rows[0] ?? {}
  const bin = dirname(readlinkSync(`/proc/${serverProcesses(folder)[0]}/exe`))
  const asOwner = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  const control = (...args: string[]) => {
    const [program = '', ...rest] = [...asOwner, join(bin, 'pg_ctl'), '-D', folder, ...args]
    return new Promise<void>((resolve, reject) => {
      const child = spawn(program, rest, { cwd: '/', stdio: 'ignore' })
      child
        .on('error', reject)
        .on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`pg_ctl ${args[0]} ended with ${code}`)),
        )
    })
  }
  // quoted words: the program, and then every option
  const options = [...readFileSync(join(folder, 'postmaster.opts'), 'utf8').matchAll(/"([^"]*)"/g)].flatMap(
    ([, word]) => word ?? [],
  )
  const given = options.filter((word, index) => word !== '-D' && options[index - 1] !== '-D')
  const family = () => serverProcesses(folder)
  const start = () =>
    control('-l', '/dev/null', '-w', '-o', given.map((word) => `'${word}'`).join(' '), 'start')
  return {
    kill: () => control('-m', 'immediate', '-w', 'stop'),
    start,
    freeze: () => family().forEach((pid) => void signal(pid, 'SIGSTOP')),
    thaw: () => family().forEach((pid) => void signal(pid, 'SIGCONT')),
    runs: () => family().some(isThere),
    async moveInto(other) {
      await control('-m', 'fast', '-w', 'stop')
      const moved = join(other, basename(folder))
      execFileSync('cp', ['-a', folder, moved])
      execFileSync('rm', ['-rf', folder])
      symlinkSync(moved, folder)
      await start()
    },
  }
}

/** The processes of the server whose data is in this folder, the first one first; none if it has ended. */
export function serverProcesses(folder: string): number[] {
  const pidFile = join(folder, 'postmaster.pid')
  if (!existsSync(pidFile)) return []
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return isThere(postmaster) ? [postmaster, ...childrenOf(postmaster)] : []
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A backend may have ended since it was seen. */
export function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // no process is left to notify
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [Number(name)] : []
    } catch {
      return []
    }
  })
