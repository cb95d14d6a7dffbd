import type pg from 'pg'
import type { SharedCommits } from './postgres/shared-commits.ts'

/** `waiting`: statements that wait for a connection. */
export interface Connections {
  total: number
  idle: number
  waiting: number
}

export const connectionsOf = (pool: pg.Pool, shared: SharedCommits) => (): Connections => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount + shared.waiting,
})
