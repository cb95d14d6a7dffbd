import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { type Answer, card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { passesLuhn } from './luhn.ts'
import { refreshFingerprints } from './refresh-fingerprints.ts'

let railyard: TestRailyard
let shop: Shop
let neighbour: Shop
beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
  neighbour = await openShop(railyard)
})
afterAll(() => railyard.close())

const number = '4539148803436467'
const given = { ...card, number }
const entered = (value: string) => ({ method: 'card', number: value, expiration_date: '12/35', security_code: '123' })

const pays = async (by: Shop, value = number) => (await by.pay(10_00, { payment_method: { ...given, number: value } })).body
const fingerprintOf = async (by: Shop, value = number): Promise<string> => (await pays(by, value)).payment_method.fingerprint
const stores = async (by: Shop, more: object = {}) => (await by.post('/payment-methods', { ...given, security_code: undefined, ...more })).body

test('a card has one fingerprint in an account, whether it is paid with or stored, and another one in every other account', async () => {
  const mine = await fingerprintOf(shop)
  expect(mine).toMatch(/^[0-9a-f]{64}$/)
  expect(await fingerprintOf(shop)).toBe(mine)
  expect((await stores(shop)).fingerprint).toBe(mine)
  expect(await fingerprintOf(shop, '5555555555554444')).not.toBe(mine)
  expect(await fingerprintOf(neighbour)).not.toBe(mine)
})

test('payments are found by the fingerprint that their account was answered, and by no other account’s', async () => {
  const { id, payment_method } = await pays(shop)
  const found = async (by: Shop, value: string) => (await by.get(`/transactions?limit=100&payment_method_fingerprint=${value}`)).body.items
  expect((await found(shop, payment_method.fingerprint)).map((item: { id: string }) => item.id)).toContain(id)
  await pays(neighbour)
  expect(await found(neighbour, payment_method.fingerprint)).toEqual([])
})

describe('everything that two accounts are answered about the same card', () => {
  /** What an id or a hash looks like. */
  const identifiers = (text: string) =>
    new Set(text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-fA-F]{24,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{40,}/g))

  /** Does with the card whatever can be done with one, and answers all that was said of it. */
  async function walk(by: Shop): Promise<string> {
    const said: unknown[] = []
    const hear = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
      said.push(body)
      return body
    }
    await addAntiFraudService(railyard, by)
    const buyer = await hear(by.post('/buyers', { display_name: 'Ada' }))
    const paid = await hear(by.pay(10_00, { payment_method: given, intent: 'capture', buyer: buyerScreenedAs('accept') }))
    await hear(by.payment(paid.id).refund({ amount: 100 }))
    const method = await hear(by.post('/payment-methods', { ...given, security_code: undefined, buyer_id: buyer.id }))
    await hear(by.put(`/payment-methods/${method.id}`, { expiration_date: '11/36' }))
    await hear(by.pay(11_00, { payment_method: { method: 'id', id: method.id } }))
    await hear(
      by.post('/payouts', {
        amount: 100,
        currency: 'EUR',
        payment_service_id: by.paymentServiceId,
        payment_method: { method: 'card', number, expiration_date: '12/35' },
        buyer_id: buyer.id,
      }),
    )
    await hear(by.post('/three-ds-scenarios', { conditions: { card_number: number }, outcome: { authentication: { transaction_status: 'Y' } } }))
    const session = await hear(by.post('/checkout/sessions', {}))
    const fields = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ payment_method: entered(number) }) }
    await hear(railyard.send('PUT', `/checkout/sessions/${session.id}/fields`, fields))
    await hear(by.get(`/checkout/sessions/${session.id}`))
    await hear(by.pay(12_00, { payment_method: { method: 'checkout-session', id: session.id } }))
    const range = 'datetime_range=P1D/now'
    for (const path of [
      '/transactions',
      `/transactions/${paid.id}`,
      `/transactions/${paid.id}/events`,
      `/transactions/${paid.id}/refunds`,
      '/payment-methods',
      `/payment-methods/${method.id}`,
      `/buyers/payment-methods?buyer_id=${buyer.id}`,
      '/payouts',
      '/three-ds-scenarios',
      `/card-details?currency=EUR&payment_method_id=${method.id}`,
      '/events?limit=100',
      `/metrics-explorer/authorization/metrics/transactions/modules/payment_method_bin?${range}`,
    ])
      await hear(by.get(path))
    // the administrator who set both of them up is the same
    const { items } = (await by.get('/audit-logs')).body
    said.push(items.map(({ user: _, ...entry }: { user: unknown }) => entry))
    return JSON.stringify(said)
  }

  test('has no id and no fingerprint in common, and no more than six first digits', async () => {
    const [mine, theirs] = [await walk(await openShop(railyard)), await walk(await openShop(railyard))]
    expect(identifiers(mine).size).toBeGreaterThan(20)
    expect([...identifiers(mine)].filter((text) => theirs.includes(text))).toEqual([])
    expect(mine).toContain(number.slice(0, 6))
    expect(mine).not.toContain(number.slice(0, 7))
    expect(mine).not.toContain(number.slice(0, 6) + number.slice(-4))
  })
})

describe('a guessed number is not confirmed', () => {
  const open = async () => (await shop.post('/checkout/sessions', {})).body.id
  const enter = (session: string, value: string) =>
    railyard.send('PUT', `/checkout/sessions/${session}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method: entered(value) }),
    })

  test('by a checkout session, which no payment service is asked for', async () => {
    await pays(shop)
    const [right, wrong] = [await open(), await open()]
    await enter(right, number)
    await enter(wrong, lookalike())
    const shown = async (id: string) => (await shop.get(`/checkout/sessions/${id}`)).body.payment_method
    expect(await shown(right)).toMatchObject({ fingerprint: null, label: '6467' })
    expect(await shown(wrong)).toEqual(await shown(right))
  })

  test('by another account, whatever it does with the number', async () => {
    const known = await fingerprintOf(shop)
    const answers = [await pays(neighbour), await stores(neighbour), (await neighbour.get(`/transactions?payment_method_fingerprint=${known}`)).body]
    expect(JSON.stringify(answers)).not.toContain(known)
  })

  test('by a buyer’s browser: it is shown no fingerprint, of the card that it pays with and of those that are stored', async () => {
    const buyer = (await shop.post('/buyers', { display_name: 'Bea' })).body.id
    await stores(shop, { buyer_id: buyer })
    const browser = await railyard.client({
      account: shop.account,
      scopes: ['embed'],
      embed: { amount: 10_00, currency: 'EUR', buyer_id: buyer },
    })
    const paid = await browser.post('/transactions', { amount: 10_00, currency: 'EUR', payment_method: given }, { 'idempotency-key': 'browser' })
    expect(paid).toMatchObject({ status: 201, body: { payment_method: { label: '6467', fingerprint: null } } })
    const again = await browser.post('/transactions', { amount: 10_00, currency: 'EUR', payment_method: given }, { 'idempotency-key': 'browser' })
    expect(again.body).toEqual(paid.body)
    const { items } = (await browser.get('/buyers/payment-methods')).body
    expect(items).toMatchObject([{ label: '6467', fingerprint: null }])
    expect((await shop.get(`/transactions/${paid.body.id}`)).body.payment_method.fingerprint).toBe(await fingerprintOf(shop))
  })

  test('digit by digit: a filter by first digits compares the six that payments show', async () => {
    const { id } = await pays(shop)
    const isFound = async (bin: string) =>
      (await shop.get(`/transactions?limit=100&payment_method_bin=${bin}`)).body.items.some((item: { id: string }) => item.id === id)
    for (const bin of ['453914', '4539148', '45391488', '45391411']) expect({ bin, found: await isFound(bin) }).toEqual({ bin, found: true })
    for (const bin of ['453915', '45391', '453914880', '4539x4', '%'])
      expect({ bin, found: await isFound(encodeURIComponent(bin)) }).toEqual({ bin, found: false })
  })
})

describe('rows of a version whose fingerprints were the same in every account', () => {
  const global = () => railyard.world.cipher.mac('card-fingerprint', number).toString('hex')
  const run = (sql: string, values: unknown[]) => railyard.world.run(sql, values)

  /** As that version wrote them. */
  async function olden(by: Shop) {
    const [method, payment] = [await stores(by), await pays(by)]
    await run('update payment_methods set fingerprint = $1 where id = $2', [global(), method.id])
    await run(`update transactions set payment_method = jsonb_set(payment_method, '{fingerprint}', to_jsonb($1::text)) where id = $2`, [
      global(),
      payment.id,
    ])
    await run('delete from vault_passes', [])
    return { method: method.id, payment: payment.id }
  }
  const shown = async (by: Shop, { method, payment }: { method: string; payment: string }) => [
    (await by.get(`/payment-methods/${method}`)).body.fingerprint,
    (await by.get(`/transactions/${payment}`)).body.payment_method.fingerprint,
  ]

  test('show none until the background pass has given them their account’s, and are then known to be the same card', async () => {
    const merchant = await openShop(railyard)
    const old = await olden(merchant)
    const known = await fingerprintOf(merchant)
    const updated = (await merchant.payment(old.payment).read()).updated_at
    expect(await shown(merchant, old)).toEqual([null, null])
    // batches of one row, so that it stops on the way and goes on from there
    while ((await refreshFingerprints(railyard.world, 7)) > 0);
    expect(await refreshFingerprints(railyard.world)).toBe(0)
    expect(await shown(merchant, old)).toEqual([known, known])
    expect((await merchant.payment(old.payment).read()).updated_at).toBe(updated)
    expect(await run(`select from transactions where payment_method->>'fingerprint' = $1`, [global()])).toEqual([])
  })

  test('are replaced a day later where a process of the version before has written them since', async () => {
    const merchant = await openShop(railyard)
    const { id, payment_method } = await pays(merchant)
    while ((await refreshFingerprints(railyard.world)) > 0);
    await run(`update transactions set payment_method = jsonb_set(payment_method, '{fingerprint}', to_jsonb($1::text)) where id = $2`, [global(), id])
    const shownOf = async () => (await merchant.payment(id).read()).payment_method.fingerprint
    expect(await refreshFingerprints(railyard.world)).toBe(0)
    expect(await shownOf()).toBeNull()
    await run(`update kysely_migration set timestamp = (now() - interval '25 hours')::text where name = $1`, ['047-card-identity'])
    while ((await refreshFingerprints(railyard.world)) > 0);
    expect(await shownOf()).toBe(payment_method.fingerprint)
  })

  test('are matched by a scenario of 3-D Secure, and have it matched, also before', async () => {
    const merchant = await openShop(railyard)
    const { body } = await merchant.post('/three-ds-scenarios', {
      conditions: { card_number: number },
      outcome: { authentication: { transaction_status: 'Y' } },
    })
    await run('update three_d_secure_scenarios set card_fingerprint = $1 where id = $2', [global(), body.id])
    const { matchScenario } = await import('../../three-d-secure/scenario.store.ts')
    const [row] = await railyard.world.run<{ fingerprint: string }>(
      `select payment_method->>'fingerprint' as fingerprint from transactions where id = $1`,
      [(await pays(merchant)).id],
    )
    const match = (fingerprint: string | null) => matchScenario(railyard.world, merchant.account, { amount: 1, fingerprint, buyer: null })
    expect((await match(row?.fingerprint ?? null))?.id).toBe(body.id)
    expect((await match(global()))?.id).toBe(body.id)
    expect(await match(null)).toBeUndefined()
  })
})

/** A number with the same first six and last four digits, and a good check digit. */
function lookalike(): string {
  for (let middle = 0; middle < 1_000_000; middle++) {
    const guess = `${number.slice(0, 6)}${String(middle).padStart(6, '0')}${number.slice(-4)}`
    if (guess !== number && passesLuhn(guess)) return guess
  }
  throw new Error('a tenth of them pass')
}
