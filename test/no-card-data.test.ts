import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { passesLuhn } from '../src/vault/cards/luhn.ts'
import { type Collector, startCollector } from './support/collector.ts'
import { addAntiFraudService, buyerScreenedAs } from './support/domains/anti-fraud.ts'
import { openPlatform } from './support/domains/delegated-payments.ts'
import { storeCard, withNetworkTokens } from './support/domains/network-tokens.ts'
import { payoutOf } from './support/domains/payouts.ts'
import { injectFaults, recoverFully } from './support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from './support/railyard.ts'
import { recordAnswers } from './support/recorded-answers.ts'
import { addService, openShop, type Shop } from './support/shop.ts'
import { readableRow } from './support/unpacked.ts'

/** Each payment has its own card, so that a trace identifies it; each security code identifies its card. */
const cards = [
  '4000056655665556',
  '4242424242424242',
  '5200828282828210',
  '378282246310005',
  '6011000990139424',
  '3566002020360505',
  '36227206271667',
]
const securityCodes = ['9173', '8264', '7355', '6446', '5537', '4628', '3719']

let railyard: TestRailyard
let shop: Shop
let collector: Collector
/** The bodies of all answers. */
let answers: readonly string[]

beforeAll(async () => {
  answers = recordAnswers()
  collector = await startCollector()
  railyard = await startTestRailyard({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  shop = await openShop(railyard)
  await doBusiness()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await railyard.close()
  await collector.close()
})

const withCard = (index: number, more: Record<string, unknown> = {}) => ({
  payment_method: {
    ...card,
    number: cards[index % cards.length],
    security_code: securityCodes[index % cards.length],
  },
  ...more,
})

/** Approvals, refusals, lost answers, refused requests, and every resource that can be read. */
async function doBusiness(): Promise<void> {
  const faults = [undefined, 'error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] as const
  for (const [index, kind] of faults.entries()) {
    await injectFaults(railyard, ...(kind ? [{ operation: '*' as const, kind, times: 2 }] : []))
    const headers = { 'idempotency-key': `key-${index}` }
    const advice = {
      'mock-card': { merchant_advice_code: { result: '02', account_number: cards[index % cards.length] } },
    }
    const { body } = await shop.pay(
      10_00 + index,
      withCard(index, { connection_options: advice, description: 'A pen', metadata: { a: 'b' } }),
      headers,
    )
    const payment = shop.payment(body.id)
    await payment.capture()
    await payment.refund({ amount: 1_00 })
    await payment.correct({ connection_options: advice })
  }
  await recoverFully(railyard)
  for (const amount of [200011, 300013, 540001]) await shop.pay(amount, withCard(amount))
  await refusedRequests()
  await checkoutSessions()
  await tokensAndNewerCards()
  await screenedPayments()
  await payouts()
  await delegatedPayments()
  for (const { id } of (await shop.get('/transactions?limit=100')).body.items) {
    for (const path of ['', '/events', '/captures', '/refunds', '/actions'])
      await shop.get(`/transactions/${id}${path}`)
  }
}

/** Cards that a platform delegates: paid, declined, refused, never used. */
async function delegatedPayments(): Promise<void> {
  const platform = openPlatform(railyard, shop)
  for (const [index, number] of cards.entries()) {
    const payment_method = { number, cvc: securityCodes[index] }
    const { id } = (await platform.delegate({ payment_method, allowance: { max_amount: 9_000_00 } })).body
    await injectFaults(
      railyard,
      ...(index % 2 ? [{ operation: '*' as const, kind: 'lost' as const, times: 1 }] : []),
    )
    if (index < 5)
      await shop.pay(index % 2 ? 10_00 : 2_000_11, {
        payment_method: { method: 'delegated-payment', token: id, checkout_session_id: 'csn_1' },
      })
    await platform.delegate({ payment_method: { ...payment_method, exp_month: '13' } })
    await platform.delegate({ payment_method, more: { metadata: { [number]: 7 } } })
  }
  await recoverFully(railyard)
}

/**
 * Stored cards with tokens, made with a security code, and cards that their issuers replace; every second
 * answer is lost.
 */
async function tokensAndNewerCards(): Promise<void> {
  const other = await openShop(railyard, { settings: withNetworkTokens({ account_updater_enabled: true }) })
  await other.put(`/payment-services/${other.paymentServiceId}`, {
    open_loop: true,
    network_tokens_enabled: true,
  })
  const keeper = await addService(railyard, other, {
    open_loop: false,
    payment_method_tokenization_enabled: true,
  })
  for (const [index, number] of cards.entries()) {
    const [security_code, newer] = [securityCodes[index], cards[(index + 1) % cards.length]]
    const id = await storeCard(other, { number })
    const at = `/payment-methods/${id}`
    const lost = (['network_token', 'tokenize', 'cryptogram', 'account_update'] as const).map(
      (operation) => ({
        operation,
        kind: 'lost' as const,
        times: 1,
      }),
    )
    await injectFaults(
      railyard,
      ...(index % 2 ? lost : [{ operation: 'tokenize' as const, kind: 'duplicate' as const, times: 1 }]),
    )
    await other.post(`${at}/network-tokens`, {
      merchant_initiated: false,
      is_subsequent_payment: false,
      security_code,
    })
    await other.post(`${at}/payment-service-tokens`, {
      payment_service_id: keeper,
      redirect_url: 'https://shop.example',
      security_code,
    })
    await other.post('/account-updater/jobs', { payment_method_ids: [id] })
    const options = {
      'account-updater': {
        response_code: 'updated',
        account_number: newer?.slice(0, 18),
        expiration_month: '11',
        expiration_year: '2041',
      },
    }
    const { body } = await other.pay(200_005, {
      payment_method: { id, security_code },
      connection_options: options,
    })
    await other.pay(200_012, { payment_method: { id, security_code } })
    await other.pay(10_00, {
      payment_method: {
        method: 'network-token',
        token: number,
        expiration_date: '12/35',
        cryptogram: 'AAECAwQ=',
      },
    })
    await other.get(`/transactions/${body.id}/events`)
    for (const list of ['', '/network-tokens', '/payment-service-tokens']) await other.get(`${at}${list}`)
  }
  await recoverFully(railyard)
  await railyard.maintenance.runOnce()
}

/** Money to cards, with every kind of answer, and cards that are refused. */
async function payouts(): Promise<void> {
  const other = await openShop(railyard)
  const faults = [undefined, 'error', 'lost', 'malformed', 'empty', 'duplicate', 'outage'] as const
  for (const [index, kind] of faults.entries()) {
    const number = cards[index]
    if (kind) await injectFaults(railyard, { operation: 'payout', kind, times: 1 })
    const payment_method = { number, expiration_date: '12/35' }
    const headers = { 'idempotency-key': `payout-${index}` }
    const { body } = await other.post(
      '/payouts',
      payoutOf(other.paymentServiceId, { payment_method }),
      headers,
    )
    await other.post(
      '/payouts',
      payoutOf(other.paymentServiceId, { payment_method, amount: 530001 + (index % 3) }),
    )
    await other.post(
      '/payouts',
      payoutOf(other.paymentServiceId, { payment_method: { ...payment_method, expiration_date: '01/20' } }),
    )
    await other.post(
      '/payouts',
      payoutOf(other.paymentServiceId, { payment_method: { ...payment_method, cvv: securityCodes[index] } }),
    )
    await other.get(`/payouts/${body.id}`)
  }
  await recoverFully(railyard)
  await other.get('/payouts')
}

/**
 * Payments that an anti-fraud service screens, with or without an answer, and a careless reviewer's comments.
 */
async function screenedPayments(): Promise<void> {
  const other = await openShop(railyard)
  const fraud = await addAntiFraudService(railyard, other)
  for (const [index, verdict] of [
    'accept',
    'reject',
    'review',
    'error',
    'unavailable',
    'review',
    'accept',
  ].entries()) {
    if (index > 4) await injectFaults(railyard, { operation: 'screening', kind: 'lost', times: 1 })
    const { body } = await other.pay(
      10_00,
      withCard(index, { buyer: buyerScreenedAs(verdict), anti_fraud_fingerprint: 'device' }),
    )
    await fraud.decides(body.id, 'ACCEPT', {
      comment: `the card is ${cards[index]}`,
      [`${cards[index]}`]: cards[index],
    })
    for (const path of ['', '/events']) await other.get(`/transactions/${body.id}${path}`)
  }
  await recoverFully(railyard)
}

/** Cards that a browser puts into a session: taken, refused, and of the wrong shape. */
async function checkoutSessions(): Promise<void> {
  for (const [index, number] of cards.entries()) {
    const { body } = await shop.post('/checkout/sessions', { amount: 10_00, currency: 'EUR' })
    const at = `/checkout/sessions/${body.id}`
    const payment_method = {
      method: 'card',
      number,
      expiration_date: '12/35',
      security_code: securityCodes[index],
    }
    const refused = [
      { ...payment_method, expiration_date: '01/20' },
      { ...payment_method, security_code: 9173 },
      { ...payment_method, number: `${number} ` },
      number,
    ]
    for (const each of [...refused, payment_method])
      await railyard.send('PUT', `${at}/fields`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payment_method: each }),
      })
    expect((await shop.get(at)).body.payment_method).toMatchObject({ label: number.slice(-4) })
    await shop.put(at, { amount: 11_00 })
  }
}

async function refusedRequests(): Promise<void> {
  for (const [index, more] of [
    { currency: 'XYZ' },
    { colour: 'red' },
    { country: 'FR' },
    { amount: -1 },
    { payment_service_id: crypto.randomUUID() },
  ].entries()) {
    await shop.pay(1_00, withCard(index, more))
  }
  await shop.pay(1_00, { payment_method: cards[1] })
  await shop.pay(1_00, { payment_method: { ...card, number: `${cards[0]} `, security_code: '91734' } })
  await shop.pay(1_00, { payment_method: { ...card, number: Number(cards[0]), security_code: 9173 } })
  await shop.pay(1_00, {
    payment_method: { ...card, number: cards[0], expiration_date: '01/20', security_code: securityCodes[0] },
  })
  const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' }
  await railyard.send('POST', '/transactions', { body: `{"number": "${cards[2]}", `, headers })
}

/** Every encoding of a number. */
const forms = (number: string): string[] => [
  number,
  number.replaceAll(/(\d{4})(?=\d)/g, '$1 '),
  number.replaceAll(/(\d{4})(?=\d)/g, '$1-'),
  Buffer.from(number).toString('hex'),
  Buffer.from(number).toString('base64').replaceAll('=', '').slice(0, -1),
]

/** The card data in a text, with some of its context. */
function traces(text: string): string[] {
  const found = cards.flatMap(forms).filter((form) => text.includes(form))
  const runs = (text.match(/\d{13,19}/g) ?? []).filter((run) => passesLuhn(run) && cards.includes(run))
  const codes = text.match(/.{0,40}"(?:security_code|cvc|cvv)\\*":\s*\\*"?\d{3,4}.{0,10}/g) ?? []
  return [...found, ...runs, ...codes]
}

async function everyTable(): Promise<Map<string, string>> {
  const tables = await railyard.world.run<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    [],
  )
  const texts = tables.map(async ({ name }) => {
    const rows = await railyard.world.run<{ row: unknown }>(`select row_to_json(t) as row from ${name} t`, [])
    return [name, rows.map(({ row }) => readableRow(JSON.stringify(row))).join('\n')] as const
  })
  return new Map(await Promise.all(texts))
}

test('the search finds card data', () => {
  expect(traces(`x ${cards[3]} y`)).not.toEqual([])
  expect(traces('4000 0566 5566 5556')).not.toEqual([])
  expect(traces('{"security_code":"9173"}')).not.toEqual([])
  expect(traces('{\\"security_code\\":\\"9173\\"}')).not.toEqual([])
  expect(traces('{"security_code":"***","number":"400005******5556"}')).toEqual([])
})

test('no table holds a card number or a security code', async () => {
  const tables = await everyTable()
  expect(tables.get('public.transactions')).toContain('400005')
  expect(tables.get('public.operations')).toContain('400005******5556')
  for (const [table, text] of tables) expect([table, traces(text)]).toEqual([table, []])
})

test('no log line holds a card number or a security code', () => {
  expect(railyard.logged.length).toBeGreaterThan(0)
  expect(traces(railyard.logged.join('\n'))).toEqual([])
})

test('no answer of the API holds a card number or a security code, not even to a refused request', () => {
  expect(answers.length).toBeGreaterThan(100)
  expect(answers.flatMap(traces)).toEqual([])
})

test('the simulator’s books hold no card number and no security code', async () => {
  const text = await (await fetch(`${railyard.simulatorUrl}/books`)).text()
  expect(text).toContain('400005')
  expect(traces(text)).toEqual([])
})

test('a card number in an address is not logged', async () => {
  const before = railyard.logged.length
  await shop.get(`/payment-services?card=${cards[1]}`)
  expect(traces(railyard.logged.slice(before).join('\n'))).toEqual([])
})

test('no metric holds a card number or a security code', async () => {
  const { body } = await railyard.send('GET', '/metrics')
  expect(body).toContain('railyard_payments_total')
  expect(traces(body)).toEqual([])
})

test('no trace holds a card number or a security code', async () => {
  await railyard.world.tracing.close()
  expect(collector.spans().length).toBeGreaterThan(100)
  expect(collector.bodies.flatMap(traces)).toEqual([])
})
