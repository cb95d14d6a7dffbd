import type pg from 'pg'

/** Which worker has the rows of an account. */
export interface AccountWorkers {
  /** Host and port; undefined: it is not known yet. */
  of(account: string): string | undefined
}

/** How long it is believed which worker has an account: its shard may move. */
const BELIEVED_MS = 10_000

/** It reads the coordinator's catalog, so no worker is asked. */
const selectWorker = `
select concat(nodename, ':', nodeport) as worker
  from pg_dist_placement
  join pg_dist_node using (groupid)
 where shardid = get_shard_id_for_distribution_column('transactions', $1::text)`

/** Finds out, once in ten seconds for an account that is asked for, which worker has its rows. */
export function followWorkers(pool: Pick<pg.Pool, 'query'>): AccountWorkers {
  let known = new Map<string, string | undefined>()
  let since = performance.now()

  async function learn(account: string): Promise<void> {
    const place = known
    place.set(account, undefined)
    try {
      const { rows } = await pool.query<{ worker: string }>(selectWorker, [account])
      place.set(account, rows[0]?.worker)
    } catch {
      // the next request asks again
      place.delete(account)
    }
  }

  return {
    of(account) {
      const now = performance.now()
      if (now - since > BELIEVED_MS) {
        known = new Map()
        since = now
      }
      if (!known.has(account)) void learn(account)
      return known.get(account)
    },
  }
}
