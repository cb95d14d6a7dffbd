import type { Statements } from '../statements.ts'

/** A position in the write-ahead log of the primary. */
export interface WalPosition {
  /** What is committed up to here, as PostgreSQL's `pg_lsn`. */
  lsn: string
  /** The mark of the log's history: positions of different histories cannot be compared. */
  mark: string
}

/** The newest history of the log that the database tells of. */
export const NEWEST_HISTORY =
  'select system_identifier, timeline, primary_started_at, mark from wal_histories order by number desc limit 1'

/**
 * What identifies the history that the primary writes, all of it of the server that answers. Its start is part of it:
 * it may begin from an older snapshot of its disk, and its standbys have what was written since then.
 */
const OWN_HISTORY = `
select system_identifier,
       ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int as timeline,
       pg_postmaster_start_time() as started
  from pg_control_system()`

const IS_OWN = `newest.system_identifier = own.system_identifier
           and newest.timeline = own.timeline
           and newest.primary_started_at = own.started`

/**
 * The flushed position, not the inserted one: every answered commit is flushed (`synchronous_commit`), and the
 * primary sends nothing else to replicas. No mark: the history has none yet.
 */
const selectPosition = `
select pg_current_wal_flush_lsn()::text as lsn,
       (select newest.mark
          from (${NEWEST_HISTORY}) newest,
               (${OWN_HISTORY}) own
         where ${IS_OWN}) as mark`

/** Two processes may do this at once: then the later row is the newest to everyone. */
const markHistory = `
insert into wal_histories (system_identifier, timeline, primary_started_at)
select own.system_identifier, own.timeline, own.started
  from (${OWN_HISTORY}) own
 where not exists (
   select
     from (${NEWEST_HISTORY}) newest
    where ${IS_OWN})`

/**
 * The position of the primary: everything that was committed and answered before the call is below it. A
 * primary that was just started or promoted gets its mark first.
 */
export async function readPosition(database: { run: Statements }): Promise<WalPosition> {
  const position = await selectFrom(database)
  if (position) return position
  await database.run(markHistory, [])
  const marked = await selectFrom(database)
  if (!marked) throw new Error('the history of the write-ahead log has no mark')
  return marked
}

async function selectFrom({ run }: { run: Statements }): Promise<WalPosition | undefined> {
  const [row] = await run<{ lsn: string; mark: string | null }>(selectPosition, [])
  return row?.mark ? { lsn: row.lsn, mark: row.mark } : undefined
}

/**
 * Calls at the same time share one `read`, which begins after each of them: one that had begun before a call
 * may not know of a commit that the caller knows of.
 */
export function sharedReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = (): Promise<T> => {
    next = undefined
    const started = read().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }
  return () => {
    if (!running) return start()
    next ??= running.then(start, start)
    return next
  }
}
