import { expect, test } from 'vitest'
import { openPool } from '../empty.fixture.ts'
import { prepareReplicaSession, prepareSession } from './prepare-session.ts'

/** A role's setting in the one session of the embedded database, which is PostgreSQL 17. */
const roleSetting = `set transaction_timeout = '1min'`

test.each([
  ['the primary', prepareSession(5_000)],
  ['a replica', prepareReplicaSession(5_000)],
])('a session of %s has no limit for its transactions, whatever the role sets', async (_, prepare) => {
  const pool = await openPool()
  await pool.query(roleSetting)
  const client = await pool.connect()
  await prepare(client)
  const { rows } = await client.query('show transaction_timeout')
  client.release()
  expect(rows).toEqual([{ transaction_timeout: '0' }])
})
