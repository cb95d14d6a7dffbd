import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { startPeriodicTask } from '../../base/periodic-task.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { InvalidSetting } from '../../settings.ts'
import type { World } from '../../world.ts'
import { deleteKeyCheck, isKeyAnnounced, makeKeyHealthCheck, storeKeyCheck } from './key-check.ts'
import type { KeyProvider } from './key-provider.ts'

/** A process that serves, as it has reported itself. */
export interface ServiceProcess {
  host: string
  pid: number
  /** The names of the encryption keys that it can use, the one that wraps first (`KeyProvider.names`). */
  encryption_keys: string[]
  /** The newest generation of the root secret that it has loaded. */
  root_secret_known: number
  /** The generation that it seals and signs with. */
  root_secret_used: number
  /** Whether it has reported since the time that the query names. */
  reported: boolean
}

const REPORT_MS = 5_000
/** A process that has not reported for so long is gone: it would have reported twelve times. */
const GONE_SECONDS = 60

/**
 * How long other processes are waited for: a dead one is off the list after a minute, and every other one has
 * read the key file again by then.
 */
export const PROCESS_WAIT_MS = 65_000

const upsertReport = namedStatement(
  ['id', 'host', 'pid', 'keyNames', 'secretKnown', 'secretUsed'],
  (p) => `
insert into service_processes (id, host, pid, encryption_keys, root_secret_known, root_secret_used, reads_packed_json, reads_packed_timeline, seen_at)
values (${p.id}, ${p.host}, ${p.pid}, ${p.keyNames}, ${p.secretKnown}, ${p.secretUsed}, true, true, now())
    on conflict (id) do update
   set encryption_keys = excluded.encryption_keys,
       root_secret_known = excluded.root_secret_known,
       root_secret_used = excluded.root_secret_used,
       seen_at = excluded.seen_at`,
)

/** A process of a version before packed lines of timelines, and maybe before packed JSON, that runs beside this one. */
const selectProcessWithoutPackedJson = `
select host
  from service_processes
 where seen_at > now() - interval '${GONE_SECONDS} seconds'
   and not reads_packed_timeline
 limit 1`

const deleteGoneProcesses = `delete from service_processes where seen_at < now() - interval '1 day'`

const deleteProcess = 'delete from service_processes where id = $1'

type ReportingWorld = Pick<World, 'run' | 'db' | 'keys' | 'rootSecrets' | 'packedJson' | 'log' | 'settings'>

/**
 * Reports which keys this process has, now and every few seconds, since the key file may get a new key and
 * there may be a new root secret. The function that it answers stops the reports and takes the process off
 * the list. Throws `InvalidSetting` if a key is in use that this process does not have, or if this process
 * would use a key that another process does not have.
 */
export async function startProcessReports(
  world: ReportingWorld,
  patience = PROCESS_WAIT_MS,
): Promise<() => Promise<void>> {
  const { run, db, keys, rootSecrets, packedJson, settings, log } = world
  const id = randomUUID()
  const stopReporting = async () => void (await run(deleteProcess, [id]).catch(() => undefined))
  let checkedKey: string | undefined
  const report = async () => {
    const names = await keys.names()
    // a key service is asked when the key changes, not each time
    if (names[0] !== checkedKey) await storeKeyCheck(db, keys)
    checkedKey = names[0]
    // a process that cannot open a new root secret keeps reporting that it has not loaded it, so that no
    // process uses it
    await rootSecrets
      .refresh()
      .catch((error) => log.error({ err: error }, 'the process could not read the root secrets'))
    await upsertReport.run(world, {
      id,
      host: hostname(),
      pid: process.pid,
      keyNames: names,
      secretKnown: Math.max(...rootSecrets.known.keys()),
      secretUsed: rootSecrets.current,
    })
    const [older] = await run<{ host: string }>(selectProcessWithoutPackedJson, [])
    packedJson.isReadByAll = !older
    return 1
  }
  if (settings.databaseUrl) {
    await refuseUnknownKey(world, patience)
    await report()
  } else await storeKeyCheck(db, keys)
  // reported first, then checked: a rotation that begins meanwhile either finds this process in the list, or
  // this check finds its key
  if (!(await makeKeyHealthCheck(world)())) {
    await stopReporting()
    throw new InvalidSetting(
      'an encryption key is in use that this process does not have: give it every key that the other processes have, and start it again',
    )
  }
  // the embedded database has no other process
  if (!settings.databaseUrl) {
    packedJson.isReadByAll = true
    return async () => undefined
  }
  await run(deleteGoneProcesses, [])
  const reports = startPeriodicTask(REPORT_MS, report, (error) =>
    log.error({ err: error }, 'the process could not report which encryption keys it knows'),
  )
  return async () => {
    await reports.stop()
    await stopReporting()
  }
}

/**
 * Refuses to start with a new key that running processes do not have: they could not open the cards that this
 * process stores.
 */
async function refuseUnknownKey({ run, db, keys }: ReportingWorld, patience: number): Promise<void> {
  if (await isKeyAnnounced(db, await keys.currentKeyId())) return
  const name = await wrappingKeyName(keys)
  const hasKey = ({ encryption_keys: names }: ServiceProcess) => names.includes(name)
  const withoutKey = await announceKey({ db, keys }, () =>
    waitForProcesses({ run }, hasKey, { ms: patience, canReloadKeys: false }),
  )
  if (withoutKey.length > 0)
    throw new InvalidSetting(
      `${processNames(withoutKey)} cannot open what this process would encrypt with the key ${name}: give the key to every process first, as its last key, or stop them (docs/operations/keys.md)`,
    )
}

/**
 * Announces the key that wraps now if every running process has it; answers the processes that do not have
 * it. A process that starts meanwhile either has reported itself when the processes are checked for the
 * second time, or finds the key announced and does not start.
 */
export async function announceKey(
  { db, keys }: Pick<World, 'db' | 'keys'>,
  findProcessesWithoutKey: () => Promise<ServiceProcess[]>,
): Promise<ServiceProcess[]> {
  const withoutKey = await findProcessesWithoutKey()
  const announced = withoutKey.length === 0 ? await storeKeyCheck(db, keys) : undefined
  if (announced === undefined) return withoutKey
  const late = await findProcessesWithoutKey()
  if (late.length > 0) await deleteKeyCheck(db, announced)
  return late
}

/** The processes for a message to the operator, by pid and host. */
export const processNames = (processes: readonly ServiceProcess[]): string =>
  `${processes.length === 1 ? 'the process' : 'the processes'} ${processes.map(({ host, pid }) => `${pid} on ${host}`).join(', ')}`

const selectLiveProcesses = `
select host, pid, encryption_keys, root_secret_known, root_secret_used, seen_at > $1::timestamptz as reported
  from service_processes
 where seen_at > now() - interval '${GONE_SECONDS} seconds'
 order by host, pid`

/** The running processes. `since`: a time of the database's clock, ISO 8601. */
export const liveProcesses = ({ run }: Pick<World, 'run'>, since = '-infinity'): Promise<ServiceProcess[]> =>
  run<ServiceProcess & Record<string, unknown>>(selectLiveProcesses, [since])

const PROCESS_POLL_MS = 500

export interface ProcessWaitOptions {
  ms: number
  /** True if a running process can get the key without a restart, because it reads the same file. */
  canReloadKeys: boolean
  signal?: AbortSignal
}

/**
 * Waits until every running process is ready. Answers the processes that are not ready after `ms`
 * milliseconds; none: all are ready. A process that has reported again and cannot become ready is not waited
 * for; one that does not report may be dead, and is off the list a minute after its last report.
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

/** The name of the key with which these keys wrap now. */
export async function wrappingKeyName(keys: Pick<KeyProvider, 'names'>): Promise<string> {
  const [name] = await keys.names()
  if (name === undefined) throw new Error('there is no encryption key')
  return name
}
