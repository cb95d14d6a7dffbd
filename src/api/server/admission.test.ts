import { connect } from 'node:net'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { booksOf } from '../../../test/support/provider.ts'
import { type Answer, startTestRailyard } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { createMetrics } from '../../base/metrics.ts'
import { trackPendingRequests } from '../../base/pending-requests.ts'
import { createLog } from '../../observability/log.ts'
import { readSettings } from '../../settings.ts'
import { createAdmission, shedLoad } from './admission.ts'

const MAX_WAIT_MS = 250

describe('the admission of requests', () => {
  const burst = (admits: ReturnType<typeof createAdmission>, now: number) => {
    let admitted = 0
    while (admitted < 10_000 && admits(MAX_WAIT_MS + 1, now)) admitted++
    return admitted
  }

  test('admits every request that does not wait too long, however many there are', () => {
    const admits = createAdmission(MAX_WAIT_MS)
    expect(Array.from({ length: 10_000 }, (_, now) => admits(MAX_WAIT_MS, now))).not.toContain(false)
  })

  test('admits a burst of five hundred to a process that has recovered, however long they will wait', () => {
    expect(burst(createAdmission(MAX_WAIT_MS), 0)).toBeGreaterThanOrEqual(500)
  })

  test('admits after the burst only requests that find the queue short', () => {
    const admits = createAdmission(MAX_WAIT_MS)
    burst(admits, 0)
    expect([admits(MAX_WAIT_MS + 1, 10), admits(MAX_WAIT_MS, 20), admits(MAX_WAIT_MS + 1, 30)]).toEqual([
      false,
      true,
      false,
    ])
  })

  test('admits another burst only after a second in which no request would have waited too long', () => {
    const admits = createAdmission(MAX_WAIT_MS)
    burst(admits, 0)
    for (let now = 0; now < 60_000; now += 900) expect(admits(MAX_WAIT_MS + 1, now)).toBe(false)
    expect(admits(MAX_WAIT_MS + 1, 62_000)).toBe(false)
    admits(0, 63_000)
    expect(burst(admits, 63_001)).toBeGreaterThanOrEqual(500)
  })
})

/**
 * An instance with one connection to the database, which the test keeps until `release`: no request that
 * needs the database is answered before.
 */
async function withBusyConnection() {
  const railyard = await startTestRailyard({ DATABASE_POOL_SIZE: '1', OVERLOAD_WAIT_MS: '100' })
  const shop = await openShop(railyard)
  const taken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const transaction = railyard.world.db.transaction().execute(async () => {
    taken.resolve()
    await released.promise
  })
  onTestFinished(async () => {
    released.resolve()
    await railyard.close()
  })
  await taken.promise
  const release = async () => {
    released.resolve()
    await transaction
  }
  return { railyard, shop, release }
}

test('a request that cannot be answered in time is refused before anything is done, and succeeds under its idempotency key after the overload', async () => {
  const { railyard, shop, release } = await withBusyConnection()
  const refused = Promise.withResolvers<Answer>()
  const first = shop.get('/buyers?limit=1').then(({ status }) => status)
  const reads = Array.from({ length: 900 }, async () => {
    const answer = await shop.get('/buyers?limit=1')
    if (answer.status === 503) refused.resolve(answer)
    return answer.status
  })
  const { headers, body } = await refused.promise
  expect(headers.get('retry-after')).toBe('1')
  expect(headers.get('x-request-id')).toBeTruthy()
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(body).toMatchObject({ type: 'error', code: 'service_unavailable', status: 503 })
  const pay = () => shop.pay(10_00, {}, { 'idempotency-key': 'an order' })
  expect(await pay()).toMatchObject({ status: 503 })
  expect(await railyard.send('GET', '/health/live')).toMatchObject({ status: 200 })
  expect(await railyard.send('GET', '/openapi.json')).toMatchObject({ status: 200 })

  await release()
  const statuses = await Promise.all([first, ...reads])
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect((await booksOf(railyard)).operations).toEqual([])
  const paid = await vi.waitFor(async () => {
    const answer = await pay()
    expect(answer).toMatchObject({ status: 201 })
    return answer
  }, 10_000)
  expect((await pay()).body).toEqual(paid.body)
  expect((await booksOf(railyard)).operations).toHaveLength(1)

  const scraped: string = (await railyard.send('GET', '/metrics')).body
  const counted = Number(/^railyard_requests_shed_total (\d+)$/m.exec(scraped)?.[1])
  expect(counted).toBeGreaterThan(1)
  const lines = railyard.logged.filter((line) => line.includes('some are refused'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThan(counted)
})

test('a client that does not send the body that it announced does not make other requests wait', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(() => railyard.close())
  const { port } = new URL(railyard.url)
  const slow = Array.from({ length: 40 }, () => connect(Number(port), '127.0.0.1'))
  onTestFinished(() => slow.forEach((socket) => void socket.destroy()))
  const { pendingRequests } = railyard.world
  const add = vi.spyOn(pendingRequests, 'add')
  for (const socket of slow)
    socket.write(
      'POST /transactions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    )
  await vi.waitFor(() => expect(add).toHaveBeenCalledTimes(40), 10_000)
  await vi.waitFor(() => expect(pendingRequests.activeCount()).toBe(0), 10_000)
})

test('with OVERLOAD_WAIT_MS=0 no request is refused', async () => {
  const statuses = async (maxWait: string) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    const pendingRequests = { ...trackPendingRequests(), waitMs: () => 10_000 }
    shedLoad(app, {
      settings: readSettings({ OVERLOAD_WAIT_MS: maxWait }),
      metrics: createMetrics(),
      log: createLog('silent'),
      pendingRequests,
    })
    app.get('/', { config: { scopes: [] } }, async () => 'ok')
    return new Set(
      await Promise.all(Array.from({ length: 600 }, async () => (await app.inject('/')).statusCode)),
    )
  }
  expect(await statuses('250')).toEqual(new Set([200, 503]))
  expect(await statuses('0')).toEqual(new Set([200]))
})
