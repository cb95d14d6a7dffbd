/** The time of the database server, which this process estimates between its answers. */
export interface ServerTime {
  /**
   * Milliseconds since 1970. It follows the process's monotonic clock, so that a step of the machine's clock
   * does not change it.
   */
  now(): number
  /** Milliseconds by which the machine's clock is ahead of the server's. */
  skew(): number
  /** The time that the server has answered, and `performance.now()` before and after the query. */
  adjust(answer: { server: number; asked: number; answered: number }): void
}

/** The column of the server's time, in whole milliseconds. */
export const SERVER_NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now'

/** Starts with the machine's time, until the first answer of the server. */
export function followServerTime(): ServerTime {
  let base = { time: Date.now(), at: performance.now() }
  const timeAt = (at: number) => base.time + (at - base.at)
  const now = () => Math.trunc(timeAt(performance.now()))
  return {
    now,
    skew: () => Date.now() - now(),
    adjust({ server, asked, answered }) {
      // the server read its clock at some moment between the two: an estimate in that range may be right
      const latest = server + (answered - asked)
      const estimate = timeAt(answered)
      if (estimate >= server && estimate <= latest) return
      base = { time: (server + latest) / 2, at: answered }
    },
  }
}
