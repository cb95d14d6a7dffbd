import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Collector, type SentSpan, startCollector } from '../../test/support/collector.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'
import { noTracing } from '../base/tracing.ts'
import { InvalidSetting, readSettings } from '../settings.ts'
import { packagesToInstall, startTracing } from './load-tracing.ts'

let collector: Collector
let spans: SentSpan[]
/** The ids of transactions, by the merchant's action. */
const payments = { approved: '', lost: '' }
let refused: string | null

const canary = '4000056655665556'

beforeAll(async () => {
  collector = await startCollector()
  const railyard = await startTestRailyard({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_SERVICE_NAME: 'railyard-test',
  })
  try {
    await doBusiness(railyard)
  } finally {
    await railyard.close()
  }
  spans = collector.spans()
})
afterAll(() => collector.close())

async function doBusiness(railyard: TestRailyard): Promise<void> {
  const shop = await openShop(railyard)
  const withCanary = { payment_method: { ...card, number: canary, security_code: '9173' } }
  payments.approved = (await shop.pay(10_00, withCanary)).body.id
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  payments.lost = (await shop.pay(11_00, withCanary)).body.id
  await recoverFully(railyard)
  refused = (await shop.pay(1_00, { payment_method: { ...card, number: `${canary} ` } })).headers.get(
    'x-request-id',
  )
  const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
  await railyard.send('POST', '/transactions', { body: `{"number": "${canary}", `, headers })
  await railyard.send('GET', `/nope/${canary}?token=s3cret-token`)
  await railyard.send('GET', `/transactions/${payments.approved}/session?token=s3cret-token`)
  await railyard.send('GET', '/health/ready')
  await railyard.send('GET', '/metrics')
}

const about = (transaction: string) =>
  spans.filter(({ attributes }) => attributes['railyard.transaction.id'] === transaction)
const requestOf = (transaction: string) =>
  about(transaction).find(({ name }) => name === 'POST /transactions')
const within = (parent: SentSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parent && parentSpanId === parent.spanId)

describe('a payment', () => {
  test('is one trace: the request, the commit before, the request to the provider, the commit after', () => {
    const request = requestOf(payments.approved)
    expect(request).toMatchObject({
      kind: 2,
      attributes: { 'http.route': '/transactions', 'http.response.status_code': 201 },
    })
    expect(request?.parentSpanId || undefined).toBeUndefined()
    const steps = within(request)
    expect(steps.map(({ name }) => name)).toEqual(['intend', 'mock-card authorize', 'record outcome'])
    expect(new Set(steps.map(({ traceId }) => traceId))).toEqual(new Set([request?.traceId]))
  })

  test('says of the provider where it is asked and what it answers', () => {
    const call = within(requestOf(payments.approved)).find(({ name }) => name === 'mock-card authorize')
    const attributes = {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': expect.anything(),
      'http.response.status_code': 201,
    }
    expect(call).toMatchObject({ kind: 3, attributes })
    expect(call?.status.code ?? 0).toBe(0)
  })

  test('whose answer is lost shows it, and recovery is a trace of its own with the same transaction', () => {
    const request = requestOf(payments.lost)
    const call = within(request).find(({ name }) => name === 'mock-card authorize')
    expect(call).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'lost' } })
    const recovery = about(payments.lost).filter(({ name }) => name === 'recover')
    expect(recovery.length).toBeGreaterThan(0)
    for (const { traceId, parentSpanId } of recovery) {
      expect(traceId).not.toBe(request?.traceId)
      expect(parentSpanId || undefined).toBeUndefined()
    }
    const names = recovery.flatMap((span) => within(span).map(({ name }) => name))
    expect(names).toEqual(expect.arrayContaining(['mock-card close', 'record outcome']))
  })
})

test('a refused request is no error of ours, and is found by its id', () => {
  const request = spans.find(({ attributes }) => attributes['railyard.request.id'] === refused)
  expect(request).toMatchObject({ name: 'POST /transactions' })
  expect(Number(request?.attributes['http.response.status_code'])).toBeGreaterThanOrEqual(400)
  expect(request?.status.code ?? 0).toBe(0)
})

test('who looks after the service is not traced', () => {
  expect(spans.filter(({ name }) => /metrics|health/.test(name))).toEqual([])
})

test('the service has its name', () => {
  expect(collector.resource()).toMatchObject({ 'service.name': 'railyard-test' })
})

test('nothing that was sent holds a card number, a code, a credential, or a word of an error', () => {
  const text = collector.bodies.join('\n')
  expect(text).toContain(payments.approved)
  for (const secret of [canary, 's3cret', 'eyJ'])
    expect([secret, text.includes(secret)]).toEqual([secret, false])
  // four digits also occur in ids and times
  expect(text).not.toMatch(/(?<![0-9a-f])9173(?![0-9a-f])/i)
  expect(
    spans.filter(({ status, events = [] }) => status.message !== undefined || events.length > 0),
  ).toEqual([])
})

test('where the packages are missing, the start says which to install', async () => {
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })
  const missing = () =>
    Promise.reject(
      Object.assign(new Error("Cannot find package '@fastify/otel'"), { code: 'ERR_MODULE_NOT_FOUND' }),
    )
  const started = startTracing(settings, missing)
  await expect(started).rejects.toBeInstanceOf(InvalidSetting)
  await expect(started).rejects.toThrow(
    /^OTEL_EXPORTER_OTLP_ENDPOINT is set, .* npm install @fastify\/otel@\d/,
  )
})

test('the documents name the same packages', async () => {
  const documented = readFileSync(new URL('../../docs/operations/monitoring.md', import.meta.url), 'utf8')
  expect(packagesToInstall().split(' ').length).toBeGreaterThan(1)
  for (const named of packagesToInstall().split(' ')) expect(documented).toContain(named)
})

test('without a collector in the settings the packages are not loaded', async () => {
  let loaded = 0
  const load = () => {
    loaded += 1
    return import('./opentelemetry.ts')
  }
  expect(await startTracing(readSettings({}), load)).toBe(noTracing)
  expect(loaded).toBe(0)
})
