import { promisify } from 'node:util'
import { gunzip as gunzipCallback, gzip as gzipCallback } from 'node:zlib'
import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import type { World } from '../../world.ts'
import type { Job } from './job.store.ts'

const gzip = promisify(gzipCallback)
const gunzip = promisify(gunzipCallback)

/** A chunk belongs to its place: it cannot be put into another file or elsewhere in its own. */
const contextOf = (account: string, execution: string, number: number) => `${account}/${execution}/${number}`

const insert = `
with held as (
  update report_executions set due_at = $6::timestamptz where merchant_account_id = $1 and id = $2 and lease = $3 and status = 'processing' returning id
)
insert into report_chunks (merchant_account_id, report_execution_id, number, content) select $1, id, $4, $5 from held returning number`

/** Compresses, seals and keeps a part of a file, and holds on to the job until `leasedUntil`. False: somebody else has the job now. */
export async function writeChunk(world: World, { account, id, lease }: Job, number: number, plain: Buffer, leasedUntil: string): Promise<boolean> {
  const sealed = world.cipher.seal('report-file', await gzip(plain), contextOf(account, id, number))
  return (await world.run(insert, [account, id, lease, number, sealed, leasedUntil])).length > 0
}

const select = 'select content from report_chunks where merchant_account_id = $1 and report_execution_id = $2 and number = $3'

/** A file from its first chunk to its last, one in memory at a time. Throws where one is missing: the download must not look whole. */
export async function* readFile({ run, cipher }: Pick<World, 'run' | 'cipher'>, account: string, execution: string, chunks: number) {
  for (let number = 0; number < chunks; number++) {
    const [chunk] = await run<{ content: Buffer }>(select, [account, execution, number])
    if (!chunk) throw new Error('the file was erased while it was read')
    yield await gunzip(cipher.openBytes('report-file', chunk.content, contextOf(account, execution, number)))
  }
}

const erase = `
with old as (
  select merchant_account_id, id from report_executions where status = 'succeeded' and erased_at is null and updated_at < $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 3)}
   order by updated_at limit 10 for update skip locked
), gone as (
  delete from report_chunks c using old where c.merchant_account_id = old.merchant_account_id and c.report_execution_id = old.id
)
update report_executions e set erased_at = $2::timestamptz from old where e.merchant_account_id = old.merchant_account_id and e.id = old.id returning e.id`

const DAY_MS = 86_400_000

/** Erases the files that have been kept for long enough (`REPORT_RETENTION_DAYS`); answers how many. */
export async function eraseOldFiles({ run, clock, settings }: Pick<World, 'run' | 'clock' | 'settings'>): Promise<number> {
  const before = new Date(clock.now() - settings.reportRetention * DAY_MS).toISOString()
  let erased = 0
  for (;;) {
    const gone = await run(erase, [before, new Date(clock.now()).toISOString(), ...currentTimeValues()])
    erased += gone.length
    if (gone.length === 0) return erased
  }
}
