/** The time of the database server, as this process knows it without asking. */
export interface ServerTime {
  /** Milliseconds since 1970. It runs with the process's monotonic clock: a step of the machine's clock is no step of this one. */
  now(): number
  /** Milliseconds by which the machine's clock is ahead of it. */
  skew(): number
  /** What the server has answered of its time, and when it was asked and had answered by `performance.now()`. */
  adjust(answer: { server: number; asked: number; answered: number }): void
}

/** What the server is asked for: a whole number of milliseconds. */
export const SERVER_NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now'
export const SELECT_TIME = `select ${SERVER_NOW}`

/** Begins with the machine's time, until the server is heard. */
export function followServerTime(): ServerTime {
  let base = { time: Date.now(), at: performance.now() }
  const timeAt = (at: number) => base.time + (at - base.at)
  const now = () => Math.trunc(timeAt(performance.now()))
  return {
    now,
    skew: () => Date.now() - now(),
    adjust({ server, asked, answered }) {
      // the server read its clock at some moment between the two: what is within that is not known to be wrong
      const latest = server + (answered - asked)
      const known = timeAt(answered)
      if (known >= server && known <= latest) return
      base = { time: (server + latest) / 2, at: answered }
    },
  }
}
