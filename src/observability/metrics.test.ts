import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { startTestRailyard } from '../../test/support/railyard.ts'
import { startReceiver, subscribe } from '../../test/support/receiver.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

/** Gauges from the database are cached for a few seconds. */
async function scrape(at = railyard): Promise<string> {
  at.clock.advance(6_000)
  const { status, body } = await at.send('GET', '/metrics')
  expect({ status, type: typeof body }).toEqual({ status: 200, type: 'string' })
  return body
}

/** The value of a metric with these labels; 0 if it has no such series. */
function counted(text: string, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const lines = text
    .split('\n')
    .filter((line) => line.replace(/[ {].*/, '') === name && wanted.every((label) => line.includes(label)))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** The growth of the metric during `work`. */
async function growth(
  work: () => Promise<unknown>,
  name: string,
  labels?: Record<string, string>,
): Promise<number> {
  const before = counted(await scrape(), name, labels)
  await work()
  return counted(await scrape(), name, labels) - before
}

const requests = 'railyard_http_request_duration_seconds_count'

describe('the request metric', () => {
  test('has the pattern of the path as a label and no id', async () => {
    const { id } = await shop.authorized(10_00)
    const route = { method: 'GET', route: '/transactions/:transaction_id', status: '200' }
    expect(await growth(() => shop.get(`/transactions/${id}`), requests, route)).toBe(1)
    expect(await scrape()).not.toContain(id)
    expect(await scrape()).not.toContain(shop.account)
  })

  test('has one series for all unknown paths and methods', async () => {
    const attack = async () => {
      for (const path of ['/nope', '/nope/1', '/wp-admin']) await railyard.send('GET', path)
    }
    expect(await growth(attack, requests, { method: 'other', route: 'none', status: '404' })).toBe(3)
    expect(
      await growth(() => railyard.send('PATCH', '/transactions'), requests, {
        method: 'other',
        route: '/transactions',
        status: '405',
      }),
    ).toBe(1)
    expect(await scrape()).not.toContain('wp-admin')
  })
})

describe('the payment metric', () => {
  const decided = (outcome: string) => ({ outcome, method: 'card', definition: 'mock-card' })
  test.each([
    ['an approval', 10_00, 'succeeded'],
    ['a decline', 200011, 'declined'],
    ['a failure', 300013, 'failed'],
  ])('%s is counted once', async (_name, amount, outcome) => {
    expect(await growth(() => shop.pay(amount), 'railyard_payments_total', decided(outcome))).toBe(1)
  })

  test('counts a payment that no payment service can take as failed, without a definition', async () => {
    const labels = { outcome: 'failed', method: 'card', definition: 'none' }
    expect(
      await growth(
        () => shop.pay(10_00, { currency: 'USD', country: 'FR' }),
        'railyard_payments_total',
        labels,
      ),
    ).toBe(1)
  })

  test('counts a payment with a lost answer only once its outcome is known; the answer counts as lost and the operation as unknown', async () => {
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    const before = await scrape()
    await shop.pay(10_00)
    const between = await scrape()
    const grown = (name: string, labels: Record<string, string>, [from, to]: [string, string]) =>
      counted(to, name, labels) - counted(from, name, labels)
    const operation = { kind: 'authorize', definition: 'mock-card' }
    expect(grown('railyard_operations_total', { ...operation, outcome: 'unknown' }, [before, between])).toBe(
      1,
    )
    expect(grown('railyard_payments_total', decided('succeeded'), [before, between])).toBe(0)
    const call = { definition: 'mock-card', operation: 'authorize', result: 'lost' }
    expect(grown('railyard_provider_request_duration_seconds_count', call, [before, between])).toBe(1)
    expect(counted(between, 'railyard_operations_open', { status: 'unknown' })).toBe(1)
    expect(counted(between, 'railyard_operations_due')).toBe(1)
    expect(counted(between, 'railyard_operations_due_age_seconds')).toBeGreaterThan(0)
    await recoverFully(railyard)
    const after = await scrape()
    expect(grown('railyard_operations_total', { ...operation, outcome: 'approved' }, [between, after])).toBe(
      1,
    )
    expect(grown('railyard_payments_total', decided('succeeded'), [between, after])).toBe(1)
    expect(counted(after, 'railyard_operations_open', { status: 'unknown' })).toBe(0)
    expect(counted(after, 'railyard_operations_due')).toBe(0)
  })

  test('counts a canceled payment as canceled, not as declined or failed', async () => {
    const payment = await shop.authorized(540001)
    expect(await growth(() => payment.cancel(), 'railyard_payments_total', decided('canceled'))).toBe(1)
  })

  test('counts an idempotent replay as a replay, not as a second payment', async () => {
    const pay = () => shop.pay(10_00, {}, { 'idempotency-key': 'metrics-1' })
    await pay()
    expect(await growth(pay, 'railyard_idempotent_replays_total')).toBe(1)
    expect(await growth(pay, 'railyard_payments_total')).toBe(0)
  })
})

describe('the webhook metrics', () => {
  test('count deliveries by result, failed ones as waiting, and events without a sender as lag', async () => {
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    await shop.post('/buyers', {})
    await subscribe(railyard, shop.account, receiver)
    const delivered = 'railyard_webhook_delivery_duration_seconds_count'
    const deliver = async () => {
      await shop.authorized(10_00)
      await railyard.sender.runOnce()
    }
    expect(await growth(deliver, delivered, { result: 'succeeded' })).toBeGreaterThan(0)
    expect(counted(await scrape(), 'railyard_webhook_deliveries', { status: 'waiting' })).toBe(0)
    receiver.answers(500)
    expect(await growth(deliver, delivered, { result: 'failed' })).toBeGreaterThan(0)
    const failing = await scrape()
    expect(counted(failing, 'railyard_webhook_deliveries', { status: 'waiting' })).toBeGreaterThan(0)
    expect(counted(failing, 'railyard_webhook_delivery_age_seconds')).toBeGreaterThan(0)
    expect(counted(failing, 'railyard_event_log_newest_age_seconds')).toBeGreaterThan(0)
  })

  test('count events that no sender takes from the log as lag, unless their receiver does not answer', async () => {
    const { run } = railyard.world
    const queues = (set: string) => run(`update webhook_queues set ${set}`, [])
    // a dead process has their leases, and no living process sends them
    await queues(`leased_by = gen_random_uuid(), leased_until = 'infinity', failing_since = null`)
    await shop.authorized(10_00)
    expect(counted(await scrape(), 'railyard_webhook_lag_seconds')).toBeGreaterThan(0)
    await queues('failing_since = now()')
    expect(counted(await scrape(), 'railyard_webhook_lag_seconds')).toBe(0)
    await queues(`leased_until = '-infinity', failing_since = null`)
    await railyard.sender.runOnce()
  })
})

test('audit entries are counted as unsealed until a link of the chain covers them', async () => {
  const actor = {
    actor_type: 'user' as const,
    actor_id: crypto.randomUUID(),
    actor_name: 'Ada',
    actor_email_address: null,
  }
  const resource = { resource_type: 'buyer', resource_id: crypto.randomUUID(), resource_name: null }
  const created_at = new Date(railyard.clock.now()).toISOString()
  // above the horizon, so that no process seals it meanwhile
  const entry = {
    id: crypto.randomUUID(),
    position: 9_000_000_000_000,
    action: 'created' as const,
    ...resource,
    ...actor,
    created_at,
  }
  await railyard.world.db
    .insertInto('audit_entries')
    .values({ merchant_account_id: shop.account, ...entry })
    .execute()
  const waiting = await scrape()
  expect(counted(waiting, 'railyard_audit_unsealed_entries')).toBeGreaterThan(0)
  expect(counted(waiting, 'railyard_audit_unsealed_age_seconds')).toBeGreaterThan(0)
})

test('a payment service with an open circuit is counted by its definition', async () => {
  const left = {
    merchant_account_id: shop.account,
    payment_service_id: shop.paymentServiceId,
    state: 'open' as const,
    openings: 1,
    good_probes: 0,
    version: 1,
  }
  const now = new Date(railyard.clock.now()).toISOString()
  await railyard.world.db
    .insertInto('payment_service_circuits')
    .values({ ...left, since: now, next_probe_at: now })
    .execute()
  expect(counted(await scrape(), 'railyard_circuits', { definition: 'mock-card', state: 'open' })).toBe(1)
  await railyard.world.db
    .deleteFrom('payment_service_circuits')
    .where('merchant_account_id', '=', shop.account)
    .execute()
  expect(counted(await scrape(), 'railyard_circuits', { definition: 'mock-card', state: 'open' })).toBe(0)
})

describe('a scrape', () => {
  test('reads the database at most once in five seconds', async () => {
    const { world } = railyard
    const { run } = world
    let asked = 0
    world.run = async (text, values) => {
      // further scrapes at the same time
      if (text.includes('where check_at is not null')) asked += 1
      return run(text, values)
    }
    try {
      await scrape()
      const once = asked
      expect(once).toBe(1)
      for (let times = 0; times < 10; times++) await railyard.send('GET', '/metrics')
      expect(asked).toBe(once)
    } finally {
      world.run = run
    }
  })

  test('tells of a cut of a partition that a process has left unfinished', async () => {
    const { run } = railyard.world
    const name = 'railyard_partition_cuts_unfinished'
    await run(
      `alter table settlements add constraint settlements_ends check (transaction_id < 'ffffffff-0000-0000-0000-000000000000') not valid`,
      [],
    )
    railyard.clock.advance(6_000)
    expect(counted(await scrape(), name, {})).toBe(1)
    await run('alter table settlements drop constraint settlements_ends', [])
    railyard.clock.advance(6_000)
    expect(counted(await scrape(), name, {})).toBe(0)
  })

  test('leaves out a source that fails, counts the error, and answers the rest', async () => {
    const { world } = railyard
    const { run } = world
    await scrape()
    const hanging = Promise.withResolvers<never>()
    try {
      world.run = async (text, values) => {
        if (text.includes('from operations')) throw new Error('canceling statement due to statement timeout')
        return run(text, values)
      }
      const broken = await scrape()
      expect(counted(broken, 'railyard_scrape_errors_total', { source: 'recovery' })).toBeGreaterThan(0)
      expect(broken).not.toMatch(/^railyard_operations_open\{/m)
      expect(broken).toMatch(/^railyard_webhook_deliveries\{/m)
      world.run = () => hanging.promise
      const hung = await scrape()
      expect(hung).toMatch(/^railyard_payments_total\{/m)
      expect(hung).not.toMatch(/^railyard_webhook_deliveries\{/m)
      expect(counted(hung, 'railyard_scrape_errors_total', { source: 'webhooks' })).toBeGreaterThan(0)
    } finally {
      world.run = run
      hanging.reject(new Error('the database is gone'))
    }
  })
})

describe('GET /metrics', () => {
  const production = { RAILYARD_ENV: 'production', ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
  const withToken = { ...production, METRICS_TOKEN: 's3cret' }
  const asked = async (env: Record<string, string>, headers: Record<string, string>) => {
    const other = await startTestRailyard(env)
    try {
      return (await other.send('GET', '/metrics', { headers })).status
    } finally {
      await other.close()
    }
  }

  test('is a 404 in production without METRICS_TOKEN', async () =>
    expect(await asked(production, {})).toBe(404))
  test('is a 401 without the token', async () => expect(await asked(withToken, {})).toBe(401))
  test('is a 401 with another token', async () =>
    expect(await asked(withToken, { authorization: 'Bearer s3cre' })).toBe(401))
  test('answers with the token', async () =>
    expect(await asked(withToken, { authorization: 'Bearer s3cret' })).toBe(200))
})

/** The names of the registry's series: a histogram has three. */
async function names(): Promise<Set<string>> {
  await scrape()
  const metrics = await railyard.world.metrics.registry.getMetricsAsJSON()
  return new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

const docs = (file: string) => readFileSync(new URL(`../../docs/operations/${file}`, import.meta.url), 'utf8')
const named = (text: string) =>
  [...text.matchAll(/\b(?:railyard|nodejs|process)_[a-z_]+\b/g)].map(([name]) => name)

describe('the documentation of metrics', () => {
  test('describes every metric with its labels, and no other', async () => {
    const rows = [...docs('metrics.md').matchAll(/^\| `(railyard_\w+)` \| (\w+) \|([^|]*)\|/gm)]
    const described = rows.map(([, name, type, labels = '']) => [
      name,
      type,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort(),
    ])
    await scrape()
    const metrics = await railyard.world.metrics.registry.getMetricsAsArray()
    const known = metrics
      .filter(({ name }) => name.startsWith('railyard_'))
      .map((metric) => [
        metric.name,
        String(metric.type),
        'labelNames' in metric && Array.isArray(metric.labelNames) ? [...metric.labelNames].sort() : [],
      ])
    expect(described.toSorted()).toEqual(known.toSorted())
  })

  test.each(['grafana-dashboard.json', 'alerts.yml', 'monitoring.md', 'metrics.md'])(
    '%s names only existing metrics',
    async (file) => {
      const known = await names()
      const used = named(docs(file))
      expect(used.length).toBeGreaterThan(3)
      expect(used.filter((name) => !known.has(name))).toEqual([])
    },
  )

  test('has a dashboard that can be imported and whose panels all have a query', () => {
    const dashboard = JSON.parse(docs('grafana-dashboard.json'))
    const panels: { type: string; title: string; targets?: { expr: string }[] }[] = dashboard.panels
    expect(dashboard).toMatchObject({
      title: 'Railyard',
      schemaVersion: expect.any(Number),
      uid: expect.any(String),
    })
    for (const { type, title, targets } of panels)
      if (type !== 'row')
        expect([title, targets?.every(({ expr }) => expr.length > 0)]).toEqual([title, true])
  })

  test('has an alert for outcomes that stay unknown, also of operations that a dead process left behind', async () => {
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    const payment = await shop.authorized(10_00)
    const left = `update operations set status = 'sent', created_at = (created_at at time zone 'UTC' - interval '20 min') at time zone 'UTC' where transaction_id = $1`
    await railyard.world.run(left, [payment.id])
    const name = 'railyard_operations_open_age_seconds'
    railyard.clock.advance(6_000)
    expect(counted(await scrape(), name, { status: 'sent' })).toBeGreaterThan(900)
    expect(docs('alerts.yml')).toContain(`max(${name}{job="railyard", status=~"sent|unknown"}) > 900`)
    await recoverFully(railyard)
  })

  test('says for every alert what it means and what to do', () => {
    const text = docs('alerts.yml')
    const alerts = text.split(/^ +- alert: /m).slice(1)
    expect(alerts.length).toBeGreaterThan(8)
    for (const alert of alerts)
      for (const member of ['expr:', 'for:', 'severity:', 'summary:', 'description:'])
        expect(alert).toContain(member)
  })
})
