import { describe, expect, test } from 'vitest'
import { storeCard } from '../../../test/support/domains/network-tokens.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { addService, invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { readableRow } from '../../../test/support/unpacked.ts'

const { railyard, shop } = await startShop({ merchant: { settings: { account_updater_enabled: true } } })
await addService(railyard, shop)

/** An amount that the simulator declines with `expired_payment_method`. */
const expired = 200_005
const newNumber = '4242424242424242'
const renewed = (more: Record<string, unknown> = {}) => ({
  connection_options: {
    'account-updater': {
      response_code: 'updated',
      account_number: newNumber,
      expiration_month: '11',
      expiration_year: '2041',
      ...more,
    },
  },
})
const stored = async (id: string) => (await shop.get(`/payment-methods/${id}`)).body
const job = (...ids: string[]) => shop.post('/account-updater/jobs', { payment_method_ids: ids })
const operationsOf = (transaction: string) =>
  railyard.world.run<{ status: string; service: string }>(
    'select status, payment_service_id as service from operations where transaction_id = $1 order by id',
    [transaction],
  )
const declineOf = async (transaction: string) => {
  const { items } = (await shop.get(`/transactions/${transaction}/events`)).body
  return items.find(({ name }: { name: string }) => name.endsWith('-declined')).context
}

describe('a card that was refused as expired', () => {
  test('is replaced in real time, and paid with again at the same payment service', async () => {
    const id = await storeCard(shop)
    const paid = await shop.pay(expired, { payment_method: { id }, ...renewed() })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      error_code: null,
      payment_service: { id: shop.paymentServiceId },
      payment_method: { id, label: '4242', expiration_date: '11/41' },
    })
    expect(await operationsOf(paid.body.id)).toEqual([
      { status: 'declined', service: shop.paymentServiceId },
      { status: 'approved', service: shop.paymentServiceId },
    ])
    expect(await declineOf(paid.body.id)).toMatchObject({
      retry_rule: 'payment_method_replacement',
      code: 'expired_payment_method',
    })
    expect(await shop.payment(paid.body.id).timeline()).toContain('real-time-account-update')
    expect(await stored(id)).toMatchObject({
      label: '4242',
      expiration_date: '11/41',
      details: { bin: '424242' },
      has_replacement: false,
      last_replaced_at: expect.any(String),
      status: 'succeeded',
    })
    const { payments } = await booksOf(railyard)
    expect(
      payments.find((payment) => payment.payment_id === paid.body.payment_service_transaction_id)?.card
        ?.last4,
    ).toBe('4242')
    const events = await railyard.world.run(
      "select id from events where name = 'payment-method.updated' and target_id = $1",
      [id],
    )
    expect(events).toHaveLength(1)
  })

  test('is what its new number says: scheme, issuer and kind', async () => {
    const id = await storeCard(shop)
    const paid = await shop.pay(expired, {
      payment_method: { id },
      ...renewed({ account_number: '4000002500003155' }),
    })
    const details = { bin: '400000', card_type: 'credit', card_issuer_name: 'Banque de test' }
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      payment_method: { label: '3155', details },
    })
    expect(await stored(id)).toMatchObject({ label: '3155', additional_schemes: ['carte-bancaire'], details })
    const unknown = await shop.pay(expired, {
      payment_method: { ...card, card_type: 'debit' },
      ...renewed({ account_number: '4929000000000006' }),
    })
    expect(unknown.body.payment_method.details).toEqual({
      bin: '492900',
      card_type: null,
      card_issuer_name: null,
    })
  })

  test('need not be stored for that; one that is stored with the payment is stored as the newer one', async () => {
    const once = await shop.pay(expired, { intent: 'capture', ...renewed() })
    expect(once.body).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: expired,
      payment_method: { id: null, label: '4242' },
    })
    const kept = await shop.pay(expired, { store: true, ...renewed() })
    expect(await stored(kept.body.payment_method.id)).toMatchObject({ label: '4242', status: 'succeeded' })
  })

  test('stays refused where the issuer knows nothing newer, or cannot be asked', async () => {
    for (const options of [
      renewed({ response_code: null }),
      renewed({ error_code: 'unreachable' }),
      renewed({ account_number: 'no-card-number' }),
      {},
    ]) {
      const id = await storeCard(shop)
      const paid = await shop.pay(expired, { payment_method: { id }, ...options })
      expect(paid.body).toMatchObject({
        status: 'authorization_failed',
        error_code: 'expired_payment_method',
      })
      expect(await stored(id)).toMatchObject({ label: '1111', last_replaced_at: null })
      expect(await operationsOf(paid.body.id)).toHaveLength(1)
    }
  })

  test('is tried again once: what becomes of the newer card is looked up, and nothing else is tried', async () => {
    await injectFaults(
      railyard,
      { operation: 'authorize', kind: 'delay', delay_ms: 0, times: 1 },
      { operation: 'authorize', kind: 'lost', times: 1 },
      { operation: 'close', kind: 'error' },
    )
    const paid = await shop.pay(expired, renewed())
    expect(paid.body.status).toBe('processing')
    expect(await operationsOf(paid.body.id)).toMatchObject([{ status: 'declined' }, { status: 'unknown' }])
    await recoverFully(railyard)
    expect(await shop.payment(paid.body.id).read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: expired,
    })
    expect(await operationsOf(paid.body.id)).toMatchObject([{ status: 'declined' }, { status: 'approved' }])
  })

  test('that is refused for another reason is not asked about', async () => {
    const declined = await shop.pay(200_011, renewed())
    expect(await operationsOf(declined.body.id)).toHaveLength(1)
    expect(await shop.payment(declined.body.id).timeline()).not.toContain('real-time-account-update')
  })

  test('is never tried again while nobody knows whether the old one has paid', async () => {
    const id = await storeCard(shop)
    await injectFaults(
      railyard,
      { operation: 'authorize', kind: 'lost', times: 1 },
      { operation: 'close', kind: 'error' },
    )
    const paid = await shop.pay(expired, { payment_method: { id }, ...renewed() })
    expect(paid.body.status).toBe('processing')
    expect(await operationsOf(paid.body.id)).toHaveLength(1)
    await recoverFully(railyard)
    expect(await operationsOf(paid.body.id)).toMatchObject([{ status: 'declined' }])
    expect(await stored(id)).toMatchObject({ last_replaced_at: null })
  })

  test('is replaced once when two payments find it refused at the same time', async () => {
    const id = await storeCard(shop)
    const paid = await Promise.all(
      [1, 2].map(() => shop.pay(expired, { payment_method: { id }, ...renewed() })),
    )
    expect(paid.map(({ body }) => body.status)).toEqual([
      'authorization_succeeded',
      'authorization_succeeded',
    ])
    const events = await railyard.world.run(
      "select id from events where name = 'payment-method.updated' and target_id = $1",
      [id],
    )
    expect(events).toHaveLength(1)
  })
})

describe('an account updater job', () => {
  test('holds newer details in standby until the old card is refused', async () => {
    const id = await storeCard(shop, { number: '4111110000000104' })
    const asked = await job(id)
    expect(asked).toMatchObject({
      status: 201,
      body: {
        type: 'account-updater-job',
        merchant_account_id: shop.account,
        inquiries: [{ type: 'account-updater-inquiry', payment_method_id: id }],
      },
    })
    await railyard.maintenance.runOnce()
    expect(await stored(id)).toMatchObject({ has_replacement: true, label: '0104', last_replaced_at: null })
    expect((await shop.pay(10_00, { payment_method: { id } })).body.payment_method.label).toBe('0104')
    const paid = await shop.pay(expired, { payment_method: { id } })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      payment_method: { id, label: '0203', expiration_date: '12/39' },
    })
    expect(await declineOf(paid.body.id)).toMatchObject({ retry_rule: 'payment_method_replacement' })
    expect(await stored(id)).toMatchObject({
      has_replacement: false,
      label: '0203',
      last_replaced_at: expect.any(String),
    })
    const held = await railyard.world.run('select 1 as one from card_replacements where id = $1', [id])
    expect(held).toEqual([])
  })

  test('learns of a new expiry, of a closed card and of one that has not changed', async () => {
    const [expiry, closed, same] = [
      await storeCard(shop, { number: '4111110000000302' }),
      await storeCard(shop, { number: '4111110000000401' }),
      await storeCard(shop),
    ]
    expect((await job(expiry, closed, same)).body.inquiries).toHaveLength(3)
    await railyard.maintenance.runOnce()
    const results = await railyard.world.run<{ id: string; result: string }>(
      'select payment_method_id as id, result from account_updater_inquiries where payment_method_id = any($1)',
      [[expiry, closed, same]],
    )
    expect(Object.fromEntries(results.map(({ id, result }) => [id, result]))).toEqual({
      [expiry]: 'updated',
      [closed]: 'closed',
      [same]: 'unchanged',
    })
    const paid = await shop.pay(expired, { payment_method: { id: expiry } })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      payment_method: { label: '0302', expiration_date: '12/39' },
    })
  })

  test('leaves out what cannot be asked about, and answers 204 where nothing is left', async () => {
    const [id, diners] = [await storeCard(shop), await storeCard(shop, { number: '36227206271667' })]
    const other = await openShop(railyard)
    expect((await job(diners, crypto.randomUUID(), await storeCard(other))).status).toBe(204)
    const answers = await Promise.all([job(id, diners), job(id, diners)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 204])
    expect((await job(id)).status).toBe(204)
    await railyard.maintenance.runOnce()
    expect((await job(id)).status).toBe(201)
  })

  test('is refused to an account without an account updater, and with the same card twice', async () => {
    const other = await openShop(railyard)
    const id = await storeCard(other)
    expect(await other.post('/account-updater/jobs', { payment_method_ids: [id] })).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    })
    expect(await job(id, id)).toMatchObject(invalidFields('/payment_method_ids'))
    expect((await shop.post('/account-updater/jobs', { payment_method_ids: [] })).status).toBe(422)
  })

  test('asks again where the answer was lost', async () => {
    const id = await storeCard(shop, { number: '5555550000000101' })
    await railyard.maintenance.runOnce()
    await injectFaults(railyard, { operation: 'account_update', kind: 'lost', times: 1 })
    await job(id)
    await railyard.maintenance.runOnce()
    expect(await stored(id)).toMatchObject({ has_replacement: false })
    railyard.clock.advance(40_000)
    await railyard.maintenance.runOnce()
    expect(await stored(id)).toMatchObject({ has_replacement: true, label: '0101' })
  })
})

test('no number of a newer card is kept in the clear, told or logged', async () => {
  const tables = [
    'transactions',
    'operations',
    'transaction_events',
    'events',
    'payment_methods',
    'card_replacements',
    'idempotency_keys',
  ]
  for (const table of tables) {
    const rows = await railyard.world.run<{ row: unknown }>(
      `select row_to_json(t) as row from ${table} t`,
      [],
    )
    const text = readableRow(JSON.stringify(rows))
    for (const number of [card.number, newNumber, '4111110000000203'])
      expect([table, text.includes(number)]).toEqual([table, false])
  }
  expect(railyard.logged.join('\n')).not.toContain(newNumber)
})
