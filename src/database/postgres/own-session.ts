import pg, { type ClientBase } from 'pg'

/** Why connections without sessions of their own cannot be used. `setting` names their URL. */
export const noOwnSession = (setting: 'DATABASE_URL' | 'DATABASE_REPLICA_URLS'): string =>
  `a pooler gives the connections of ${setting} another session for each transaction or statement, and named statements, LISTEN and locks belong to a session: set pool_mode = session in PgBouncer, or connect past it (docs/operations/high-availability.md)`

const ROUNDS = 5
const pidOf = async (client: ClientBase): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid

/**
 * Whether the session of an idle connection is its own. Behind a pooler that shares sessions, a transaction
 * of a second connection (`connect`) gets the session that the first one has just used, or the first one gets
 * another. Other clients of the pooler may hide that, so it is tried several times.
 */
export async function hasOwnSession(client: ClientBase, connect: () => pg.Client): Promise<boolean> {
  const pid = await pidOf(client)
  // without a pooler, the server has told its process at the start of the connection
  if ('processID' in client && client.processID === pid) return true
  const second = connect()
  second.on('error', () => undefined)
  try {
    await second.connect()
    for (let round = 0; round < ROUNDS; round++) {
      const before = await pidOf(client)
      // a standby refuses the queries of serializable transactions
      await second.query('begin isolation level read committed')
      // asked first: a pooler with one session has none left for the first connection
      const isShared = (await pidOf(second)) === before || (await pidOf(client)) !== before
      await second.query('rollback')
      if (isShared) return false
    }
    return true
  } catch (error) {
    // a pooler that shares sessions between statements refuses transactions
    if (error instanceof pg.DatabaseError && /statement pooling/.test(error.message)) return false
    throw error
  } finally {
    await second.end()
  }
}
