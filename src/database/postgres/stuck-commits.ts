/**
 * The commits that wait for a synchronous standby: each by the process of the server that makes it and the
 * start of its statement. A role sees its own.
 */
export const WAITING_COMMITS = `array(select pid || ' ' || query_start from pg_stat_get_activity(null) where wait_event = 'SyncRep') as "waitingCommits"`

/** After so many heartbeats in a row the commit is stuck: two seconds. */
const STUCK_AFTER = 4

/**
 * Finds commits that wait for a standby which does not answer, or on a primary that was cut off from its
 * standbys. They wait without a limit, while the server answers everything else.
 */
export function followStuckCommits(): {
  /** Whether one of the commits of this heartbeat is stuck. */
  see(waiting: readonly string[]): boolean
} {
  let seen = new Map<string, number>()
  return {
    see(waiting) {
      seen = new Map(waiting.map((commit) => [commit, (seen.get(commit) ?? 0) + 1]))
      return [...seen.values()].some((times) => times >= STUCK_AFTER)
    },
  }
}
