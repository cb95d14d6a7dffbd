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

/** More accounts than a process has at a time; beyond them it begins anew. */
const MAX_KNOWN = 100_000

interface Known {
  worker: string | undefined
  until: number
}

/**
 * Finds out which worker has the rows of an account, once in ten seconds for one that is asked for. Meanwhile, and
 * while the coordinator has no connection for the question, it is believed to be the one that it was.
 */
export function followWorkers(pool: Pick<pg.Pool, 'query'>): AccountWorkers {
  const known = new Map<string, Known>()

  async function learn(account: string, entry: Known): Promise<void> {
    try {
      const { rows } = await pool.query<{ worker: string }>(selectWorker, [account])
      entry.worker = rows[0]?.worker
    } catch {
      // the next request asks again
      entry.until = 0
    }
  }

  return {
    of(account) {
      const now = performance.now()
      if (known.size > MAX_KNOWN) known.clear()
      const entry = known.get(account) ?? { worker: undefined, until: 0 }
      if (entry.until < now) {
        entry.until = now + BELIEVED_MS
        known.set(account, entry)
        void learn(account, entry)
      }
      return entry.worker
    },
  }
}
