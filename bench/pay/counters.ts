import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { newPlace, type Place, startProvider, startServer } from '../instance.ts'
import type { Generator } from '../load.ts'
import { queryOn } from '../postgres.ts'
import { pay, payments } from './payment.ts'

/** The cost of a payment for PostgreSQL in counters, not time. */
export interface Counters {
  /** Writing transactions; several payments may share one. */
  commits: number
  /** Statements, except those that begin and end transactions. */
  statements: number
  /** Bytes of rows and indexes. */
  stored: number
  /** Bytes of write-ahead log. */
  wal: number
}

const PAYMENTS = 2_000
/** The number of payments at once: so many, and so many in the run that only commits are taken from. */
const [FEW, MANY] = [8, 32]

const counted = `
select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
       (select sum(calls) from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) and toplevel
           and query !~ '^(begin|set|commit)')::float8 as statements,
       (select sum(pg_total_relation_size(c.oid)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind = 'r' and n.nspname = 'public')::float8 as stored,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`

/**
 * Counts a start, some payments or a rest, and a stop. Start and stop cost the same each time and cancel out.
 */
async function life(
  place: Place,
  generator: Generator,
  { requests = 0, connections = FEW, restMs = 0 },
): Promise<Counters> {
  const url = place.env['DATABASE_URL'] ?? ''
  const read = async (): Promise<Counters> => {
    const [row] = await queryOn<Counters & Record<string, number>>(url, counted)
    return row ?? { commits: Number.NaN, statements: Number.NaN, stored: Number.NaN, wal: Number.NaN }
  }
  const before = await read()
  const provider = await startProvider(place.folder)
  // recovery reads its journal once a second: not during this
  const server = await startServer(place, {
    SANDBOX_URL: provider.said.match[1] ?? '',
    RECOVERY_INTERVAL_MS: '60000',
  })
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir: place.folder }), 'utf8'))
  const instance = {
    url: server.said.match[1] ?? '',
    token: await signToken(signer, { scopes: ['*.write'], expiresIn: 600 }, Date.now()),
  }
  await pay(instance)
  if (requests > 0) await generator.ask({ ...payments(instance), connections, until: { requests } })
  else await wait(restMs)
  await server.stop()
  await provider.stop()
  const after = await read()
  const more = (name: keyof Counters) => after[name] - before[name]
  return {
    commits: more('commits'),
    statements: more('statements'),
    stored: more('stored'),
    wal: more('wal'),
  }
}

/** `crowdedCommits`: the same as `commits`, of more payments at once. */
export async function countPerPayment(generator: Generator): Promise<Counters & { crowdedCommits: number }> {
  const place = await newPlace('postgres')
  await queryOn(place.env['DATABASE_URL'] ?? '', 'create extension pg_stat_statements')
  await life(place, generator, {})
  const began = performance.now()
  await life(place, generator, {})
  const startMs = performance.now() - began
  const busyFrom = performance.now()
  const busy = await life(place, generator, { requests: PAYMENTS })
  // a rest as long as the payments took: background statements depend on time
  const idle = await life(place, generator, { restMs: Math.max(0, performance.now() - busyFrom - startMs) })
  const crowded = await life(place, generator, { requests: PAYMENTS, connections: MANY })
  await place.remove()
  const each = (name: keyof Counters, { [name]: counted } = busy) => (counted - idle[name]) / PAYMENTS
  return {
    commits: each('commits'),
    crowdedCommits: each('commits', crowded),
    statements: each('statements'),
    stored: each('stored'),
    wal: each('wal'),
  }
}
