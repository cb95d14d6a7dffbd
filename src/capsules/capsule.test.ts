import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { addService, type Payment } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import type { Capsule } from './capsule.schema.ts'
import { MAX_CAPSULE_BYTES } from './capsule.schema.ts'
import { exportCapsule } from './export-capsule.ts'
import { readCapsule } from './read-capsule.ts'
import { replayCapsule } from './replay-capsule.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const second = await addService(railyard, shop)
const folder = await mkdtemp(join(tmpdir(), 'railyard-capsule-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function exported({ id }: Pick<Payment, 'id'>): Promise<Capsule> {
  const capsule = await exportCapsule(railyard.world, shop.account, id)
  if (!capsule) throw new Error('there is no such payment')
  return fromFile(capsule)
}

async function fromFile(value: unknown): Promise<Capsule> {
  const file = join(folder, 'capsule.json')
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
  return readCapsule(file)
}

const replay = async (capsule: Capsule) => replayCapsule(capsule, await mkdtemp(join(folder, 'data-')))

describe('a replay says that nothing differs', () => {
  test('of a payment that was captured in parts and refunded', async () => {
    const payment = await shop.authorized(1299)
    await payment.capture({ amount: 1000, final: false })
    await payment.capture({ amount: 299 })
    await payment.refund({ amount: 500, reason: 'One item was returned' })
    expect(await replay(await exported(payment))).toEqual({ same: true, steps: 4 })
  })

  test('of a sale, a void, an increment and a refused capture', async () => {
    const sold = await shop.sold(700)
    const voided = await shop.authorized(800)
    await voided.increment(100)
    await voided.void()
    const failed = await shop.authorized(600_000)
    await failed.capture({ amount: 500_001 })
    for (const payment of [sold, voided, failed])
      expect(await replay(await exported(payment))).toMatchObject({ same: true })
  })

  test('of a payment that a rule sends to a payment service, and a retry to another one', async () => {
    const { body: rules } = await shop.put('/flows/card-transaction/rules', {
      items: [
        {
          display_name: 'Gold customers of Ada',
          action: 'route-transaction',
          condition: { field: 'metadata.segment', operator: 'is', value: 'gold' },
          outcome: {
            attempts: [{ payment_service_id: second }, { payment_service_id: shop.paymentServiceId }],
          },
        },
      ],
    })
    expect(rules).toMatchObject({ items: [{ active: true }] })
    await shop.post('/flows/card-transaction/rules/publish', {})
    const { body } = await shop.pay(200_012, { metadata: { segment: 'gold' } })
    const capsule = await exported(body)
    expect(JSON.stringify(capsule)).not.toMatch(/gold|Ada\b/)
    expect(capsule.operations.map(({ payment_service_id: service }) => service)).toEqual([
      second,
      shop.paymentServiceId,
    ])
    expect(await replay(capsule)).toEqual({ same: true, steps: 1 })
  })

  test('of a payment and a refund that were pending until a sync', async () => {
    const pending = await shop.sold(540_001)
    await pending.sync()
    await pending.refund({ amount: 520_005 })
    await pending.sync()
    expect(await replay(await exported(pending))).toEqual({ same: true, steps: 2 })
  })

  test('of a payment whose answer was lost and found by recovery', async () => {
    await injectFaults(railyard, { operation: '*', kind: 'lost', times: 1 })
    const { body } = await shop.pay(1299)
    expect(body.status).toBe('processing')
    await recoverFully(railyard)
    await shop.payment(body.id).capture()
    const capsule = await exported(body)
    expect(capsule.operations[0]?.exchanges.length).toBeGreaterThan(1)
    expect(await replay(capsule)).toEqual({ same: true, steps: 2 })
  })
})

test('a replay names the first difference', async () => {
  const payment = await shop.authorized(1299)
  await payment.capture()
  const capsule = await exported(payment)
  const other = structuredClone(capsule)
  const [, capture] = other.operations
  Object.assign(capture?.exchanges[0]?.response as object, { status: 'declined', code: 'issuer_decline' })
  expect(await replay(other)).toEqual({
    same: false,
    difference: 'operation 2, status: recorded "approved", now "declined"',
  })
  expect(await replay({ ...capsule, actions: [] })).toMatchObject({
    difference: 'operation 2, kind: recorded "capture", now nothing',
  })
})

test('a capsule has no card data and no personal data', async () => {
  const secrets = {
    email: 'ada@lovelace.example',
    first: 'Adaline',
    last: 'Lovelacey',
    line1: 'Kirchgasse 17',
    city: 'Winterthur',
    postal: '84001',
    phone: '+41790001122',
    segment: 'customer-of-ada@lovelace.example',
    reference: 'Order of Adaline',
    descriptor: 'Adaline Shop 24',
    reason: 'Adaline sent it back',
  }
  const { status, body } = await shop.pay(1299, {
    country: 'CH',
    currency: 'EUR',
    external_identifier: secrets.reference,
    metadata: { segment: secrets.segment },
    statement_descriptor: { name: secrets.descriptor },
    buyer: {
      display_name: `${secrets.first} ${secrets.last}`,
      billing_details: {
        first_name: secrets.first,
        last_name: secrets.last,
        email_address: secrets.email,
        phone_number: secrets.phone,
        address: { line1: secrets.line1, city: secrets.city, postal_code: secrets.postal, country: 'CH' },
      },
    },
    payment_method: {
      method: 'card',
      number: '5425233430109903',
      expiration_date: '11/34',
      security_code: '987',
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const payment = shop.payment(body.id)
  await payment.capture()
  await payment.refund({ amount: 1, reason: secrets.reason })
  const capsule = await exported(payment)
  const text = JSON.stringify(capsule)
  for (const secret of [...Object.values(secrets), '5425233430109903', '542523', '9903', '11/34', '987"'])
    expect(text).not.toContain(secret)
  expect(capsule.payment.scheme).toBe('mastercard')
  expect(await replay(capsule)).toMatchObject({ same: true })
})

describe('a capsule from outside', () => {
  test('is refused if it is too large, no JSON, of another version, or has an unknown member', async () => {
    const capsule = await exported(await shop.authorized(1299))
    await expect(fromFile(`"${'x'.repeat(MAX_CAPSULE_BYTES)}"`)).rejects.toThrow('and a capsule at most')
    await expect(fromFile('{')).rejects.toThrow('is no capsule')
    await expect(fromFile({ ...capsule, version: 2 })).rejects.toThrow('another version')
    const [operation] = capsule.operations
    const url = { ...operation?.exchanges[0], url: 'http://127.0.0.1:1/' }
    await expect(fromFile({ ...capsule, operations: [{ ...operation, exchanges: [url] }] })).rejects.toThrow(
      'is no capsule',
    )
  })

  test('is refused if a replay has no buyer or issuer for it, or its configuration is none', async () => {
    const capsule = await exported(await shop.authorized(1299))
    await expect(replay({ ...capsule, payment: { ...capsule.payment, method: 'wallet' } })).rejects.toThrow(
      'the method "wallet" is not replayed',
    )
    const [service] = capsule.payment_services
    if (!service) throw new Error('the capsule has no payment service')
    await expect(
      replay({ ...capsule, payment_services: [{ ...service, definition: 'none-such' }] }),
    ).rejects.toThrow(/its configuration is refused.*payment_service_definition_id/)
  })

  test('gets no answer that it does not bring itself', async () => {
    const capsule = await exported(await shop.authorized(1299))
    const operations = capsule.operations.map((operation) => ({ ...operation, exchanges: [] }))
    const result = await replay({ ...capsule, operations })
    expect(result).toMatchObject({ same: false })
    expect(!result.same && result.difference).toContain('recorded none, now "POST /card/')
  })
})
