import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { startPeriodicTask } from '../../base/periodic-task.ts'
import { InvalidSetting } from '../../settings.ts'
import type { World } from '../../world.ts'
import { deleteKeyCheck, isKeyAnnounced, makeKeyHealthCheck, storeKeyCheck } from './key-check.ts'
import type { KeyProvider } from './key-provider.ts'

/** A process that serves, as it reported itself. */
export interface ServiceProcess {
  host: string
  pid: number
  /** Names of the encryption keys that it can use, the one that wraps first (`KeyProvider.names`). */
  encryption_keys: string[]
  /** The newest generation of the root secret that it knows. */
  root_secret_known: number
  /** The generation that it seals and signs with. */
  root_secret_used: number
  /** Whether it has reported since the instant that was asked about. */
  reported: boolean
}

const REPORT_MS = 5_000
/** A process that has not reported for so long is gone: it reports twelve times meanwhile. */
const GONE_SECONDS = 60

/** How long processes are waited for: one that died is off the list after a minute, and every other one has read the file of keys by then. */
export const PROCESS_WAIT_MS = 65_000

const report = `
insert into service_processes (id, host, pid, encryption_keys, root_secret_known, root_secret_used, seen_at)
values ($1, $2, $3, $4, $5, $6, now())
on conflict (id) do update
   set encryption_keys = excluded.encryption_keys,
       root_secret_known = excluded.root_secret_known,
       root_secret_used = excluded.root_secret_used,
       seen_at = excluded.seen_at`

const deleteGoneProcesses = `delete from service_processes where seen_at < now() - interval '1 day'`

const deleteProcess = 'delete from service_processes where id = $1'

type ReportingWorld = Pick<World, 'run' | 'db' | 'keys' | 'rootSecrets' | 'log' | 'settings'>

/**
 * Reports which keys this process knows, now and every few seconds, since the file of keys may have a new one and there may be a new root secret. The function that it answers stops that, and takes the
 * process off the list. Throws `InvalidSetting` where a key is in use that this process does not know, or where this process would use one that another process does not know.
 */
export async function startProcessReports(world: ReportingWorld, patience = PROCESS_WAIT_MS): Promise<() => Promise<void>> {
  const { run, db, keys, rootSecrets, settings, log } = world
  const id = randomUUID()
  const stopReporting = async () => void (await run(deleteProcess, [id]).catch(() => undefined))
  let checked: string | undefined
  const tell = async () => {
    const names = await keys.names()
    // a key service is asked when the key changes, not each time
    if (names[0] !== checked) await storeKeyCheck(db, keys)
    checked = names[0]
    // a process that cannot open a new root secret goes on reporting that it does not know it: so it is not used
    await rootSecrets.refresh().catch((error) => log.error({ err: error }, 'the process could not read the root secrets'))
    await run(report, [id, hostname(), process.pid, names, Math.max(...rootSecrets.known.keys()), rootSecrets.current])
    return 1
  }
  if (settings.databaseUrl) {
    await refuseUnknownKey(world, patience)
    await tell()
  } else await storeKeyCheck(db, keys)
  // reported first, then compared: a rotation that begins meanwhile either finds this process in the list, or its key is found here
  if (!(await makeKeyHealthCheck(world)())) {
    await stopReporting()
    throw new InvalidSetting(
      'an encryption key is in use that this process does not have: give it every key that the other processes have, and start it again',
    )
  }
  // the embedded database has no other process
  if (!settings.databaseUrl) return async () => undefined
  await run(deleteGoneProcesses, [])
  const rounds = startPeriodicTask(REPORT_MS, tell, (error) =>
    log.error({ err: error }, 'the process could not report which encryption keys it knows'),
  )
  return async () => {
    await rounds.stop()
    await stopReporting()
  }
}

/** A process that starts with a new key would store cards that the processes which serve already cannot open. */
async function refuseUnknownKey({ run, db, keys }: ReportingWorld, patience: number): Promise<void> {
  if (await isKeyAnnounced(db, await keys.currentKeyId())) return
  const name = await wrappingKeyName(keys)
  const knows = ({ encryption_keys: known }: ServiceProcess) => known.includes(name)
  const strangers = await announceKey({ db, keys }, () => waitForProcesses({ run }, knows, { ms: patience, canReloadKeys: false }))
  if (strangers.length > 0)
    throw new InvalidSetting(
      `${processNames(strangers)} cannot open what this process would encrypt with the key ${name}: give the key to every process first, as its last key, or stop them (docs/operations/keys.md)`,
    )
}

/**
 * Announces the key that wraps now, where every process that serves knows it; answers the processes that do not. A process that starts meanwhile either has reported itself when the
 * processes are asked the second time, or finds the key announced and does not start.
 */
export async function announceKey(
  { db, keys }: Pick<World, 'db' | 'keys'>,
  findStrangers: () => Promise<ServiceProcess[]>,
): Promise<ServiceProcess[]> {
  const strangers = await findStrangers()
  const announced = strangers.length === 0 ? await storeKeyCheck(db, keys) : undefined
  if (announced === undefined) return strangers
  const late = await findStrangers()
  if (late.length > 0) await deleteKeyCheck(db, announced)
  return late
}

/** The processes as a person finds them. */
export const processNames = (processes: readonly ServiceProcess[]): string =>
  `${processes.length === 1 ? 'the process' : 'the processes'} ${processes.map(({ host, pid }) => `${pid} on ${host}`).join(', ')}`

const selectLiveProcesses = `
select host, pid, encryption_keys, root_secret_known, root_secret_used, seen_at > $1::timestamptz as reported
  from service_processes
 where seen_at > now() - interval '${GONE_SECONDS} seconds'
 order by host, pid`

/** The processes that serve now. `since` is an instant of the database's clock. */
export const liveProcesses = ({ run }: Pick<World, 'run'>, since = '-infinity'): Promise<ServiceProcess[]> =>
  run<ServiceProcess & Record<string, unknown>>(selectLiveProcesses, [since])

const PROCESS_POLL_MS = 500

export interface ProcessWaitOptions {
  ms: number
  /** True where a process that serves can come to know a key without a restart: it reads the same file. */
  canReloadKeys: boolean
  signal?: AbortSignal
}

/**
 * Waits until every process that serves is ready. Answers the processes that are not when the time is over: none, if all are. A process that reported again and cannot learn is not
 * waited for; one that does not report may have died, and is off the list a minute after its last report.
 */
export async function waitForProcesses(
  database: Pick<World, 'run'>,
  isReady: (process: ServiceProcess) => boolean,
  { ms, canReloadKeys, signal }: ProcessWaitOptions,
): Promise<ServiceProcess[]> {
  const [began] = await database.run<{ now: string }>('select clock_timestamp()::text as now', [])
  for (const end = performance.now() + ms; ; await wait(PROCESS_POLL_MS)) {
    const missing = (await liveProcesses(database, began?.now)).filter((process) => !isReady(process))
    const isDecided = !canReloadKeys && missing.some(({ reported }) => reported)
    if (missing.length === 0 || isDecided || performance.now() >= end || signal?.aborted) return missing
  }
}

/** The name of the key that these keys wrap with now. */
export async function wrappingKeyName(keys: Pick<KeyProvider, 'names'>): Promise<string> {
  const [name] = await keys.names()
  if (name === undefined) throw new Error('there is no encryption key')
  return name
}
