import { describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { type Answer, card } from '../../../test/support/railyard.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { passesLuhn } from './luhn.ts'
import { refreshFingerprints } from './refresh-fingerprints.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const neighbour = await openShop(railyard)

const number = '4539148803436467'
const paymentMethod = { ...card, number }
const entered = (value: string) => ({
  method: 'card',
  number: value,
  expiration_date: '12/35',
  security_code: '123',
})

const pay = async (by: Shop, value = number) =>
  (await by.pay(10_00, { payment_method: { ...paymentMethod, number: value } })).body
const fingerprintOf = async (by: Shop, value = number): Promise<string> =>
  (await pay(by, value)).payment_method.fingerprint
const store = async (by: Shop, more: object = {}) =>
  (await by.post('/payment-methods', { ...paymentMethod, security_code: undefined, ...more })).body

test('a card has the same fingerprint in all payments and payment methods of an account, and another one in every other account', async () => {
  const own = await fingerprintOf(shop)
  expect(own).toMatch(/^[0-9a-f]{64}$/)
  expect(await fingerprintOf(shop)).toBe(own)
  expect((await store(shop)).fingerprint).toBe(own)
  expect(await fingerprintOf(shop, '5555555555554444')).not.toBe(own)
  expect(await fingerprintOf(neighbour)).not.toBe(own)
})

test('payments are found by the fingerprint of their own account only', async () => {
  const { id, payment_method } = await pay(shop)
  const found = async (by: Shop, value: string) =>
    (await by.get(`/transactions?limit=100&payment_method_fingerprint=${value}`)).body.items
  expect((await found(shop, payment_method.fingerprint)).map((item: { id: string }) => item.id)).toContain(id)
  await pay(neighbour)
  expect(await found(neighbour, payment_method.fingerprint)).toEqual([])
})

describe('the answers that two accounts get about the same card', () => {
  /** The ids and hashes in a text. */
  const identifiers = (text: string) =>
    new Set(
      text.match(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-fA-F]{24,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{40,}/g,
      ),
    )

  /** Uses the card in every operation, and answers all bodies as one text. */
  async function walk(by: Shop): Promise<string> {
    const answers: unknown[] = []
    const record = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
      answers.push(body)
      return body
    }
    await addAntiFraudService(railyard, by)
    const buyer = await record(by.post('/buyers', { display_name: 'Ada' }))
    const paid = await record(
      by.pay(10_00, { payment_method: paymentMethod, intent: 'capture', buyer: buyerScreenedAs('accept') }),
    )
    await record(by.payment(paid.id).refund({ amount: 100 }))
    const method = await record(
      by.post('/payment-methods', { ...paymentMethod, security_code: undefined, buyer_id: buyer.id }),
    )
    await record(by.put(`/payment-methods/${method.id}`, { expiration_date: '11/36' }))
    await record(by.pay(11_00, { payment_method: { method: 'id', id: method.id } }))
    await record(
      by.post('/payouts', {
        amount: 100,
        currency: 'EUR',
        payment_service_id: by.paymentServiceId,
        payment_method: { method: 'card', number, expiration_date: '12/35' },
        buyer_id: buyer.id,
      }),
    )
    await record(
      by.post('/three-ds-scenarios', {
        conditions: { card_number: number },
        outcome: { authentication: { transaction_status: 'Y' } },
      }),
    )
    const session = await record(by.post('/checkout/sessions', {}))
    const fields = {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method: entered(number) }),
    }
    await record(railyard.send('PUT', `/checkout/sessions/${session.id}/fields`, fields))
    await record(by.get(`/checkout/sessions/${session.id}`))
    await record(by.pay(12_00, { payment_method: { method: 'checkout-session', id: session.id } }))
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
      await record(by.get(path))
    // both accounts were created by the same administrator
    const { items } = (await by.get('/audit-logs')).body
    answers.push(items.map(({ user: _, ...entry }: { user: unknown }) => entry))
    return JSON.stringify(answers)
  }

  test('have no id and no fingerprint in common, and show no more than six first digits', async () => {
    const [own, ofOther] = [await walk(await openShop(railyard)), await walk(await openShop(railyard))]
    expect(identifiers(own).size).toBeGreaterThan(20)
    expect([...identifiers(own)].filter((text) => ofOther.includes(text))).toEqual([])
    expect(own).toContain(number.slice(0, 6))
    expect(own).not.toContain(number.slice(0, 7))
    expect(own).not.toContain(number.slice(0, 6) + number.slice(-4))
  })
})

describe('a guessed number is not confirmed', () => {
  const open = async () => (await shop.post('/checkout/sessions', {})).body.id
  const enter = (session: string, value: string) =>
    railyard.send('PUT', `/checkout/sessions/${session}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method: entered(value) }),
    })

  test('by a checkout session', async () => {
    await pay(shop)
    const [right, wrong] = [await open(), await open()]
    await enter(right, number)
    await enter(wrong, lookalike())
    const shown = async (id: string) => (await shop.get(`/checkout/sessions/${id}`)).body.payment_method
    expect(await shown(right)).toMatchObject({ fingerprint: null, label: '6467' })
    expect(await shown(wrong)).toEqual(await shown(right))
  })

  test('by another account', async () => {
    const fingerprint = await fingerprintOf(shop)
    const answers = [
      await pay(neighbour),
      await store(neighbour),
      (await neighbour.get(`/transactions?payment_method_fingerprint=${fingerprint}`)).body,
    ]
    expect(JSON.stringify(answers)).not.toContain(fingerprint)
  })

  test('by a buyer’s browser, which gets no fingerprint of a new or a stored card', async () => {
    const buyer = (await shop.post('/buyers', { display_name: 'Bea' })).body.id
    await store(shop, { buyer_id: buyer })
    const browser = await railyard.client({
      account: shop.account,
      scopes: ['embed'],
      embed: { amount: 10_00, currency: 'EUR', buyer_id: buyer },
    })
    const paid = await browser.post(
      '/transactions',
      { amount: 10_00, currency: 'EUR', payment_method: paymentMethod },
      { 'idempotency-key': 'browser' },
    )
    expect(paid).toMatchObject({
      status: 201,
      body: { payment_method: { label: '6467', fingerprint: null } },
    })
    const again = await browser.post(
      '/transactions',
      { amount: 10_00, currency: 'EUR', payment_method: paymentMethod },
      { 'idempotency-key': 'browser' },
    )
    expect(again.body).toEqual(paid.body)
    const { items } = (await browser.get('/buyers/payment-methods')).body
    expect(items).toMatchObject([{ label: '6467', fingerprint: null }])
    expect((await shop.get(`/transactions/${paid.body.id}`)).body.payment_method.fingerprint).toBe(
      await fingerprintOf(shop),
    )
  })

  test('digit by digit: a filter by first digits compares only the six that payments show', async () => {
    const { id } = await pay(shop)
    const isFound = async (bin: string) =>
      (await shop.get(`/transactions?limit=100&payment_method_bin=${bin}`)).body.items.some(
        (item: { id: string }) => item.id === id,
      )
    for (const bin of ['453914', '4539148', '45391488', '45391411'])
      expect({ bin, found: await isFound(bin) }).toEqual({ bin, found: true })
    for (const bin of ['453915', '45391', '453914880', '4539x4', '%'])
      expect({ bin, found: await isFound(encodeURIComponent(bin)) }).toEqual({ bin, found: false })
  })
})

describe('rows of an earlier version with fingerprints that were the same in every account', () => {
  const global = () => railyard.world.cipher.mac('card-fingerprint', number).toString('hex')
  const run = (sql: string, values: unknown[]) => railyard.world.run(sql, values)

  /** Writes the fingerprints of a stored card and a payment as the earlier version did. */
  async function storeGlobalFingerprints(by: Shop) {
    const [method, payment] = [await store(by), await pay(by)]
    await run('update payment_methods set fingerprint = $1 where id = $2', [global(), method.id])
    await run(
      `update transactions set payment_method = jsonb_set(payment_method, '{fingerprint}', to_jsonb($1::text)) where id = $2`,
      [global(), payment.id],
    )
    await run('delete from vault_passes', [])
    return { method: method.id, payment: payment.id }
  }
  const shown = async (by: Shop, { method, payment }: { method: string; payment: string }) => [
    (await by.get(`/payment-methods/${method}`)).body.fingerprint,
    (await by.get(`/transactions/${payment}`)).body.payment_method.fingerprint,
  ]

  test('show no fingerprint until the background task has refreshed them, and then the account’s', async () => {
    const merchant = await openShop(railyard)
    const old = await storeGlobalFingerprints(merchant)
    const fingerprint = await fingerprintOf(merchant)
    const updated = (await merchant.payment(old.payment).read()).updated_at
    expect(await shown(merchant, old)).toEqual([null, null])
    // small batches, so that it stops half-way and continues
    while ((await refreshFingerprints(railyard.world, 7)) > 0);
    expect(await refreshFingerprints(railyard.world)).toBe(0)
    expect(await shown(merchant, old)).toEqual([fingerprint, fingerprint])
    expect((await merchant.payment(old.payment).read()).updated_at).toBe(updated)
    expect(
      await run(`select from transactions where payment_method->>'fingerprint' = $1`, [global()]),
    ).toEqual([])
  })

  const migratedBefore = (time: string) =>
    run(`update kysely_migration set timestamp = (now() - $1::interval)::text where name = $2`, [
      time,
      '047-card-identity',
    ])

  test('are refreshed again a day later if a process of the earlier version wrote them after the first pass', async () => {
    const merchant = await openShop(railyard)
    const { id, payment_method } = await pay(merchant)
    // the schema of tests is kept for as long as no migration changes, so that the second pass may be over
    await migratedBefore('0 hours')
    await run('delete from vault_passes', [])
    while ((await refreshFingerprints(railyard.world)) > 0);
    await run(
      `update transactions set payment_method = jsonb_set(payment_method, '{fingerprint}', to_jsonb($1::text)) where id = $2`,
      [global(), id],
    )
    const shownOf = async () => (await merchant.payment(id).read()).payment_method.fingerprint
    expect(await refreshFingerprints(railyard.world)).toBe(0)
    expect(await shownOf()).toBeNull()
    await migratedBefore('25 hours')
    while ((await refreshFingerprints(railyard.world)) > 0);
    expect(await shownOf()).toBe(payment_method.fingerprint)
  })

  test('match 3-D Secure scenarios also before they are refreshed', async () => {
    const merchant = await openShop(railyard)
    const { body } = await merchant.post('/three-ds-scenarios', {
      conditions: { card_number: number },
      outcome: { authentication: { transaction_status: 'Y' } },
    })
    await run('update three_d_secure_scenarios set card_fingerprint = $1 where id = $2', [global(), body.id])
    const { matchScenario } = await import('../../three-d-secure/scenario.store.ts')
    const [row] = await railyard.world.run<{ fingerprint: string }>(
      `select payment_method->>'fingerprint' as fingerprint from transactions where id = $1`,
      [(await pay(merchant)).id],
    )
    const match = (fingerprint: string | null) =>
      matchScenario(railyard.world, merchant.account, { amount: 1, fingerprint, buyer: null })
    expect((await match(row?.fingerprint ?? null))?.id).toBe(body.id)
    expect((await match(global()))?.id).toBe(body.id)
    expect(await match(null)).toBeUndefined()
  })
})

/** A number with the same first six and last four digits, and a valid check digit. */
function lookalike(): string {
  for (let middle = 0; middle < 1_000_000; middle++) {
    const guess = `${number.slice(0, 6)}${String(middle).padStart(6, '0')}${number.slice(-4)}`
    if (guess !== number && passesLuhn(guess)) return guess
  }
  throw new Error('one in ten guesses passes the check')
}
