import { parseArgs } from 'node:util'
import pg from 'pg'
import { mockCardService, startTestRailyard, stopBackground } from '../../test/support/railyard.ts'
import { number, table } from '../report.ts'
import { payment } from './payment.ts'

/**
 * The bytes of a payment by table and index, and its write-ahead log, without background work. Start it under a
 * server without autovacuum, so that nothing is vacuumed in between, or only after every `--vacuum` payments:
 * later payments then use the room of dead versions, as they do in a table that is old.
 *
 *     POSTGRES_OPTIONS='-c autovacuum=off -c fsync=off' bash scripts/with-postgres.sh node bench/pay/bytes.ts [--payments 6000 --vacuum 150]
 */
const { values } = parseArgs({
  options: { payments: { type: 'string', default: '1500' }, vacuum: { type: 'string' } },
})
const count = Number(values.payments)
const batch = Number(values.vacuum ?? count)
const CONNECTIONS = 8

const railyard = await startTestRailyard()
await railyard.admin.post('/payment-services', mockCardService())
await stopBackground(railyard)
const client = new pg.Client({ connectionString: railyard.world.settings.databaseUrl })
await client.connect()
await client.query('create extension if not exists pg_walinspect')

async function pay(payments: number): Promise<void> {
  let left = payments
  const payOnOne = async () => {
    while (left-- > 0) {
      const { status } = await railyard.admin.post('/transactions', payment)
      if (status !== 201) throw new Error(`a payment was answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, payOnOne))
}

const sizes = async () =>
  new Map(
    (
      await client.query<{ name: string; size: number }>(
        `select relname as name, pg_relation_size(oid)::float8 as size from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`,
      )
    ).rows.map(({ name, size }) => [name, size]),
  )

const position = async () =>
  (await client.query<{ lsn: string }>('select pg_switch_wal(), pg_current_wal_flush_lsn() as lsn')).rows[0]
    ?.lsn

/** Records that belong to a relation, without the images of whole pages, which depend on checkpoints. */
const selectLog = `
select coalesce(c.relname, 'other') as name,
       sum(record_length - fpi_length)::float8 as bytes
  from pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)
  left join pg_class c on pg_relation_filenode(c.oid) = (regexp_match(block_ref, 'rel [0-9]+/[0-9]+/([0-9]+)'))[1]::oid
 group by 1`

await pay(50)
await client.query('vacuum')
await client.query('checkpoint')
const [before, from] = [await sizes(), await position()]
for (let paid = 0; paid < count; paid += batch) {
  await pay(Math.min(batch, count - paid))
  if (values.vacuum) await client.query('vacuum transactions, operations')
}
const [after, to] = [await sizes(), await position()]
const { rows: log } = await client.query<{ name: string; bytes: number }>(selectLog, [from, to])
const logOf = new Map(log.map(({ name, bytes }) => [name, bytes]))

const lines = [...new Set([...after.keys(), ...logOf.keys()])]
  .map((name) => ({
    name,
    stored: ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / count,
    log: (logOf.get(name) ?? 0) / count,
  }))
  .filter(({ stored, log }) => stored >= 1 || log >= 1)
  .sort((a, b) => b.stored - a.stored || b.log - a.log)
const sum = (of: 'stored' | 'log') => lines.reduce((total, line) => total + line[of], 0)
console.log(
  table(
    ['bytes of a payment', 'stored', 'log'],
    [...lines, { name: 'all', stored: sum('stored'), log: sum('log') }].map((line) => [
      line.name,
      number(line.stored),
      number(line.log),
    ]),
  ),
)
await client.end()
await railyard.close()
