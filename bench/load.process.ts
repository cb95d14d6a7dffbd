import { randomUUID } from 'node:crypto'
import autocannon, { type Request } from 'autocannon'
import { answer } from './assistant.ts'
import type { Load, Loaded } from './load.ts'
import { quantile } from './statistics.ts'

answer(async (load: Load): Promise<Loaded> => {
  const { url, method, paths, headers, body, bodies, accounts, connections, until, tokens, keyed } = load
  const latencies: number[] = []
  let refused = 0
  let last = 0
  let next = 0

  const vary = (request: Request): Request => {
    const turn = next++
    // a machine that is faster than when the tokens were signed may run out of them
    if (tokens && turn >= tokens.length) run.stop()
    const token = tokens && (tokens[Math.min(turn, tokens.length - 1)] ?? '')
    return {
      ...request,
      path: paths[turn % paths.length] ?? '/',
      ...(bodies && { body: bodies[turn % bodies.length] ?? '' }),
      headers: {
        ...headers,
        ...(accounts && { 'x-svc-merchant-account-id': accounts[turn % accounts.length] ?? '' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(keyed && { 'idempotency-key': randomUUID() }),
      },
    }
  }
  const varies =
    tokens !== undefined ||
    keyed === true ||
    bodies !== undefined ||
    accounts !== undefined ||
    paths.length > 1
  const began = performance.now()
  const run = autocannon({
    url,
    connections,
    requests: [
      {
        method,
        path: paths[0] ?? '/',
        headers,
        ...(body !== undefined && { body }),
        ...(varies && { setupRequest: vary }),
      },
    ],
    ...('seconds' in until ? { duration: until.seconds } : { amount: until.requests }),
    timeout: 30,
    sampleInt: 50,
    excludeErrorStats: true,
  })
  run.on('response', (_client, status, _bytes, ms) => {
    last = performance.now()
    if (status >= 200 && status < 300) latencies.push(ms)
    else refused++
  })
  const { errors } = await run
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: latencies.length,
    errors: errors + refused,
    seconds: (last - began) / 1000,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
})
