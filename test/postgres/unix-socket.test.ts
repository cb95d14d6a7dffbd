import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('when a database behind a Unix socket is stopped, requests get 503', async () => {
  const server = await startOwnPostgres()
  onTestFinished(server.close)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query('show unix_socket_directories')
  await client.end()
  const folder = encodeURIComponent(rows[0].unix_socket_directories)
  const railyard = await startTestRailyard({
    DATABASE_URL: `postgres://postgres@${folder}:${new URL(server.url).port}/postgres`,
  })
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
  const list = async () => {
    const { status, headers } = await shop.get('/transactions')
    return `${status} ${headers.get('retry-after')}`
  }
  expect(await list()).toBe('200 null')
  const killed = server.kill()
  const answers = new Set<string>()
  while (!railyard.world.isDatabaseUnavailable()) answers.add(await list())
  answers.add(await list())
  await killed
  answers.delete('200 null')
  expect(answers).toEqual(new Set(['503 2']))
})
