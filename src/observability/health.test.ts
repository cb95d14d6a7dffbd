import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { deleteUnusedKeyChecks, storeKeyCheck } from '../vault/keys/key-check.ts'
import { localKeys } from '../vault/keys/local-keys.ts'

let railyard: TestRailyard | undefined
afterEach(async () => {
  await railyard?.close()
  railyard = undefined
})

const ready = (at: TestRailyard) => at.send('GET', '/health/ready')

test('an instance that can take payments says so, and of what it looked at', async () => {
  railyard = await startTestRailyard()
  expect(await railyard.send('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } })
  const checks = { database: 'ok', migrations: 'ok', encryption: 'ok', sandbox: 'ok' }
  expect(await ready(railyard)).toMatchObject({ status: 200, body: { status: 'ok', checks } })
})

test('without its database it is alive, not ready, and says nothing but that', async () => {
  railyard = await startTestRailyard()
  railyard.world.run = async () => {
    throw new Error('password authentication failed for user "railyard"')
  }
  expect(await ready(railyard)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', checks: { database: 'failed', sandbox: 'ok' } },
  })
  expect(JSON.stringify((await ready(railyard)).body)).not.toMatch(/password|user/)
  expect(await railyard.send('GET', '/health/live')).toMatchObject({ status: 200 })
})

test('it is not ready on a database of another key, or of an older version', async () => {
  railyard = await startTestRailyard()
  const { run } = railyard.world
  await run('update encryption_check set mac = $1', [Buffer.alloc(32)])
  expect(await ready(railyard)).toMatchObject({
    status: 503,
    body: { checks: { database: 'ok', encryption: 'failed', migrations: 'ok' } },
  })
  await run(`delete from kysely_migration where name > '005'`, [])
  expect(await ready(railyard)).toMatchObject({ status: 503, body: { checks: { migrations: 'failed' } } })
})

test('it is not ready while something is under an encryption key that it cannot open with, and ready again without', async () => {
  railyard = await startTestRailyard()
  const { db } = railyard.world
  const stranger = localKeys([Buffer.alloc(32, 7)])
  await storeKeyCheck(db, stranger)
  expect(await ready(railyard)).toMatchObject({
    status: 503,
    body: { checks: { database: 'ok', encryption: 'failed' } },
  })
  await deleteUnusedKeyChecks(db, [await railyard.world.keys.currentKeyId()])
  expect(await ready(railyard)).toMatchObject({ status: 200, body: { checks: { encryption: 'ok' } } })
})

test('a process is not ready while the sandbox’s providers do not answer', async () => {
  railyard = await startTestRailyard({ SANDBOX_URL: 'http://127.0.0.1:1' })
  expect(await ready(railyard)).toMatchObject({
    status: 503,
    body: { checks: { database: 'ok', sandbox: 'failed' } },
  })
})

test('a process is not ready while another server answers at SANDBOX_URL', async () => {
  const other = createServer((_request, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  railyard = await startTestRailyard({ SANDBOX_URL: `http://127.0.0.1:${port}` })
  expect(await ready(railyard)).toMatchObject({ status: 503, body: { checks: { sandbox: 'failed' } } })
})

test('however many ask at once, the database is asked once', async () => {
  railyard = await startTestRailyard()
  const { world } = railyard
  const { run } = world
  const asked: string[] = []
  const held = Promise.withResolvers<void>()
  world.run = async (text, values) => {
    asked.push(text)
    await held.promise
    return run(text, values)
  }
  const answers = Promise.all(Array.from({ length: 20 }, () => railyard && ready(railyard)))
  setTimeout(held.resolve, 200)
  expect((await answers).map((answer) => answer?.status)).toEqual(Array(20).fill(200))
  expect(asked.length).toBeLessThan(20)
})

test('told to stop, it says that it is not ready, and takes requests until load balancers know', async () => {
  railyard = await startTestRailyard({ STOP_DELAY_MS: '1000' })
  const stopping = railyard.close()
  expect(await ready(railyard)).toMatchObject({ status: 503, body: { status: 'stopping' } })
  const answer = await railyard.admin.get('/merchant-accounts')
  expect(answer.status).toBe(200)
  // a client that keeps connections opens another one for its next request
  expect(answer.headers.get('connection')).toBe('close')
  await stopping
  await expect(ready(railyard)).rejects.toThrow()
  railyard = undefined
})
