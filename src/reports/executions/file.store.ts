import { promisify } from 'node:util'
import { gunzip as gunzipCallback, gzip as gzipCallback } from 'node:zlib'
import { namedStatement } from '../../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../../database/rows/select-due.ts'
import type { World } from '../../world.ts'
import type { Job } from './job.store.ts'

const gzip = promisify(gzipCallback)
const gunzip = promisify(gunzipCallback)

/** Binds a sealed chunk to its place: it cannot be opened in another file, or elsewhere in its own. */
const contextOf = (account: string, execution: string, number: number) => `${account}/${execution}/${number}`

const insertChunk = namedStatement(
  ['account', 'execution', 'lease', 'number', 'content', 'leasedUntil'],
  (p) => `
with leased as (
  update report_executions
     set due_at = ${p.leasedUntil}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.execution}
     and lease = ${p.lease}
     and status = 'processing'
  returning id
)
insert into report_chunks (merchant_account_id, report_execution_id, number, content)
select ${p.account}, id, ${p.number}, ${p.content}
  from leased
returning number`,
)

/**
 * Compresses, seals and stores a chunk of a file, and renews the job's lease until `leasedUntil`. False: the
 * lease is lost.
 */
export async function writeChunk(
  world: World,
  { account, id, lease }: Job,
  number: number,
  plain: Buffer,
  leasedUntil: string,
): Promise<boolean> {
  const content = world.cipher.seal('report-file', await gzip(plain), contextOf(account, id, number))
  return (
    (await insertChunk.run(world, { account, execution: id, lease, number, content, leasedUntil })).length > 0
  )
}

const selectChunk = namedStatement(
  ['account', 'execution', 'number'],
  (p) => `
select content
  from report_chunks
 where merchant_account_id = ${p.account}
   and report_execution_id = ${p.execution}
   and number = ${p.number}`,
)

/**
 * Reads a file chunk by chunk, with one chunk in memory. Throws if a chunk is missing, so that a shortened
 * download does not look complete.
 */
export async function* readFile(
  world: Pick<World, 'run' | 'cipher'>,
  account: string,
  execution: string,
  chunks: number,
) {
  for (let number = 0; number < chunks; number++) {
    const [chunk] = await selectChunk.run<{ content: Buffer }>(world, { account, execution, number })
    if (!chunk) throw new Error('the file was erased while it was read')
    yield await gunzip(
      world.cipher.openBytes('report-file', chunk.content, contextOf(account, execution, number)),
    )
  }
}

const oldFiles: DueRows = {
  table: 'report_executions',
  key: ['id'],
  condition: (before) => `status = 'succeeded' and erased_at is null and updated_at < ${before}::timestamptz`,
  orderBy: 'updated_at',
}

const eraseBatch = namedStatement(
  ['account', 'ids', 'before', 'now', 'limit'],
  (p) => `
with due as (${selectDueSql(oldFiles, { ...p, keys: [p.ids], values: [p.before] })}
), erased as (
  delete from report_chunks c
   using due
   where c.merchant_account_id = ${p.account}
     and c.merchant_account_id = due.merchant_account_id
     and c.report_execution_id = due.id
)
update report_executions e
   set erased_at = ${p.now}::timestamptz
  from due
 where e.merchant_account_id = ${p.account}
   and e.merchant_account_id = due.merchant_account_id
   and e.id = due.id
returning e.id`,
)

const DAY_MS = 86_400_000

/** Erases the files that are older than `REPORT_RETENTION_DAYS`; answers how many. */
export async function eraseOldFiles({
  run,
  clock,
  settings,
}: Pick<World, 'run' | 'clock' | 'settings'>): Promise<number> {
  const before = new Date(clock.now() - settings.reportRetention * DAY_MS).toISOString()
  let count = 0
  for (;;) {
    const now = new Date(clock.now()).toISOString()
    const erased = await claimDue(run, oldFiles, { values: [before], limit: 10 }, (account, [ids], limit) =>
      eraseBatch.run({ run }, { account, ids, before, now, limit }),
    )
    count += erased.length
    if (erased.length === 0) return count
  }
}
