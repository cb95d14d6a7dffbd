import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ownDatabase, startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('while the server refuses the login of new connections, requests that need one get 503', async () => {
  const own = await ownDatabase(process.env['TEST_DATABASE_TEMPLATE'])
  if (!own) throw new TypeError('there is no PostgreSQL')
  const role = `refused_${process.pid}`
  const admin = new pg.Client({ connectionString: own.url })
  await admin.connect()
  await admin.query(`create role ${role} login superuser`)
  const url = new URL(own.url)
  url.username = role
  const railyard = await startTestRailyard({ DATABASE_URL: url.href })
  onTestFinished(async () => {
    await railyard.close()
    await admin.query(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`)
    await admin.end()
    await own.drop()
  })
  const shop = await openShop(railyard)
  const list = async () => {
    const { status, headers } = await shop.get('/transactions')
    return `${status} ${headers.get('retry-after')}`
  }
  await admin.query(`alter role ${role} nologin`)
  // the pool closes an idle connection that breaks, and opens another one for the next request
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}' and application_name <> 'railyard listener'`,
  )
  expect(await list()).toBe('503 2')
  await admin.query(`alter role ${role} login`)
  await expect.poll(list, { timeout: 5_000 }).toBe('200 null')
})
