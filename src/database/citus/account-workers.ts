import type pg from 'pg'
import { isStatementError, runOnConnection } from '../postgres/run-statement.ts'

/** Which worker has the rows of an account. */
interface AccountWorkers {
  /**
   * Host and port; undefined: the tables are not placed. Rejects if there is no connection to ask for an account that
   * is new to this process.
   */
  of(account: string): Promise<string | undefined>
  /** Statements wait for the worker that the account is believed to be on: it is asked for again soon. */
  doubt(account: string): void
}

/** After how long the worker of an account is asked for again, and after how long if it is doubted: a shard may move. */
const BELIEVED_MS = 10_000
const DOUBTED_MS = 1_000

/** It reads the coordinator's catalog, so no worker is asked. */
const selectWorker = `
select concat(nodename, ':', nodeport) as worker
  from pg_dist_placement
  join pg_dist_node using (groupid)
 where shardid = get_shard_id_for_distribution_column('transactions', $1::text)
   and noderole = 'primary'`

/** More accounts than a process has at a time; beyond them it begins anew. */
const MAX_KNOWN = 100_000

interface Known {
  worker: Promise<string | undefined>
  askedAt: number
  isDoubted: boolean
}

/**
 * Finds out which worker has the rows of an account, once in ten seconds for one that is asked for. The first time it
 * waits for the coordinator; later, and while the coordinator has no connection for the question, it is believed to be
 * the one that it was. `moved`: the account is found at another worker than before.
 */
export function followWorkers(
  pool: Pick<pg.Pool, 'connect'>,
  moved: (account: string, worker: string) => void,
): AccountWorkers {
  const known = new Map<string, Known>()

  async function ask(account: string): Promise<string | undefined> {
    const { rows } = await runOnConnection(await pool.connect(), { text: selectWorker, values: [account] })
    return rows[0]?.worker
  }

  return {
    of(account) {
      const now = performance.now()
      const entry = known.get(account)
      if (entry && now < entry.askedAt + (entry.isDoubted ? DOUBTED_MS : BELIEVED_MS)) return entry.worker
      if (known.size > MAX_KNOWN) known.clear()
      const asked = ask(account)
      const next: Known = {
        worker: entry?.worker ?? asked.catch(ifRefused),
        askedAt: now,
        isDoubted: false,
      }
      known.set(account, next)
      asked.then(
        async (worker) => {
          // the answer before may be lost, such as with its connection
          const before = await entry?.worker.catch(() => undefined)
          next.worker = asked
          if (before !== undefined && worker !== undefined && worker !== before) moved(account, worker)
        },
        () => {
          // the next request asks again
          if (entry) next.askedAt = 0
          else if (known.get(account) === next) known.delete(account)
        },
      )
      return next.worker
    },
    doubt(account) {
      const entry = known.get(account)
      if (entry) entry.isDoubted = true
    },
  }
}

/** The coordinator has no such table yet. */
function ifRefused(error: unknown): undefined {
  if (!isStatementError(error)) throw error
}
