import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { makeRounds } from '../rounds.ts'
import type { World } from '../world.ts'
import { keepKeyCheck } from './key-check.ts'
import type { KeyProvider } from './key-provider.ts'

/** A process that serves, as it reported itself. */
export interface ServiceProcess {
  host: string
  pid: number
  /** Names of the encryption keys that it can use, the one that wraps first (`KeyProvider.names`). */
  encryption_keys: string[]
}

const REPORT_MS = 5_000
/** A process that has not reported for so long is gone: it reports twelve times meanwhile. */
const GONE_SECONDS = 60

const report = `
insert into service_processes (id, host, pid, encryption_keys, seen_at)
values ($1, $2, $3, $4, now())
on conflict (id) do update
   set encryption_keys = excluded.encryption_keys,
       seen_at = excluded.seen_at`

const forgetGone = `delete from service_processes where seen_at < now() - interval '1 day'`

/** Has this process report which keys it knows, now and every few seconds: one in a file may have been added. The answer stops it, and takes the process off the list. */
export async function startReporting(world: Pick<World, 'run' | 'db' | 'keys' | 'log'>): Promise<() => Promise<void>> {
  const id = randomUUID()
  let checked: string | undefined
  const tell = async () => {
    const names = await world.keys.names()
    // a key service is asked once, and not each time
    if (names[0] !== checked) await keepKeyCheck(world.db, world.keys)
    checked = names[0]
    await world.run(report, [id, hostname(), process.pid, names])
    return 1
  }
  await tell()
  await world.run(forgetGone, [])
  const rounds = makeRounds(REPORT_MS, tell, (error) =>
    world.log.error({ err: error }, 'the process could not report which encryption keys it knows'),
  )
  return async () => {
    await rounds.stop()
    await world.run('delete from service_processes where id = $1', [id]).catch(() => undefined)
  }
}

const live = `
select host, pid, encryption_keys from service_processes
 where seen_at > now() - interval '${GONE_SECONDS} seconds'
 order by host, pid`

/** Those that serve now. */
export const liveProcesses = ({ run }: Pick<World, 'run'>): Promise<ServiceProcess[]> => run<ServiceProcess & Record<string, unknown>>(live, [])

const ASK_MS = 500

/** Waits until every process is as it is asked. Answers those that are not after `patience` milliseconds: none, if all are. */
export async function waitForProcesses(
  database: Pick<World, 'run'>,
  isReady: (process: ServiceProcess) => boolean,
  patience: number,
  signal?: AbortSignal,
): Promise<ServiceProcess[]> {
  for (const end = performance.now() + patience; ; await wait(ASK_MS)) {
    const missing = (await liveProcesses(database)).filter((process) => !isReady(process))
    if (missing.length === 0 || performance.now() >= end || signal?.aborted) return missing
  }
}

/** The name of the key that these keys wrap with now. */
export async function wrappingName(keys: Pick<KeyProvider, 'names'>): Promise<string> {
  const [name] = await keys.names()
  if (name === undefined) throw new Error('there is no encryption key')
  return name
}
