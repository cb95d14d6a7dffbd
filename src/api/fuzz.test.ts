import { expect, test } from 'vitest'
import { answerChecker } from '../../test/fuzz/check-answer.ts'
import { fuzzEmbedded } from '../../test/fuzz/embedded.ts'
import { fuzz } from '../../test/fuzz/fuzz.ts'
import { fuzzBytes } from '../../test/fuzz/raw-bytes.ts'
import { fuzzSpellings } from '../../test/fuzz/spelled-money.ts'
import { operationsOf } from '../../test/support/checks/schema-values.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

// the same with more requests: npm run test:fuzz -- --requests 100000 --seed 1000
const REQUESTS = 3_200
const SEED = 1_000
/** Generous: the machine may be busy. */
const TIMEOUT_MS = 10_000
const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '300' })

test(`${REQUESTS} requests to all operations, most of them broken: never a server error, never a hang, always the right body, nothing of another merchant`, async () => {
  const { requests, statuses, findings } = await fuzz(railyard, {
    requests: REQUESTS,
    seed: SEED,
    patience: TIMEOUT_MS,
  })
  expect(findings.slice(0, 10)).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(REQUESTS)
  // the generator makes requests that succeed, too
  for (const status of [200, 201, 400, 404, 422])
    expect(statuses[status] ?? 0, `answers with ${status}`).toBeGreaterThan(0)
  expect(await railyard.send('GET', '/health/ready')).toMatchObject({ status: 200 })
}, 180_000)

test('bytes that are not HTTP are refused in the envelope, or their connection is closed', async () => {
  const { statuses, findings } = await fuzzBytes(railyard.url, {
    messages: 500,
    seed: SEED,
    patience: TIMEOUT_MS,
  })
  expect(findings.slice(0, 10)).toEqual([])
  for (const status of [200, 400, 404, 417, 431])
    expect(statuses[status] ?? 0, `answers with ${status}`).toBeGreaterThan(0)
})

test('one idempotency key moves money at most once, however the path and the headers of its requests are spelled', async () => {
  const { findings, rounds, effective } = await fuzzSpellings(railyard, { rounds: 40, seed: SEED })
  expect(findings.slice(0, 5)).toEqual([])
  expect(effective).toBeGreaterThan(rounds / 2)
})

test('a buyer’s browser that sends any member of any request reaches no other buyer and no other shop, and switches off no check', async () => {
  const { findings, statuses, members } = await fuzzEmbedded(railyard, { requests: 400, seed: SEED })
  expect(findings.slice(0, 5)).toEqual([])
  expect(members).toBeGreaterThan(60)
  for (const status of [201, 400]) expect(statuses[status] ?? 0, `answers with ${status}`).toBeGreaterThan(20)
})

test('the check of answers finds another merchant’s data, a slow answer, a wrong status and a wrong shape', async () => {
  const { body: document } = await railyard.send('GET', '/openapi.json')
  const [operation] = operationsOf(document).filter(({ id }) => id === 'get_buyer')
  if (!operation) throw new Error('there is no get_buyer')
  const problemOf = answerChecker(document, { patience: 1_000, secrets: ['hers'] })
  const request = {
    operation,
    method: 'GET',
    path: '/buyers/mine',
    headers: {},
    body: undefined,
    isShaped: true,
  }
  const error = {
    type: 'error',
    code: 'not_found',
    status: 404,
    message: 'The resource could not be found',
    details: [],
  }
  const check = (status: number, body: unknown, took = 1) =>
    problemOf(request, { status, text: JSON.stringify(body), took })
  expect(check(404, error)).toBeUndefined()
  expect(check(404, { ...error, message: 'not hers' })).toContain('another merchant')
  expect(check(404, error, 1_001)).toContain('took')
  expect(check(404, { ...error, status: 400 })).toBeDefined()
  expect(check(500, error)).toBeDefined()
  expect(check(200, { type: 'buyer' })).toBeDefined()
  expect(check(418, error)).toBeDefined()
})
