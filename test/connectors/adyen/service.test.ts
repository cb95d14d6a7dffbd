import { describe, expect, test } from 'vitest'
import { adyenCard } from '../../../src/connectors/adyen/connector.ts'
import { HMAC_KEY } from './fake.ts'
import { openBench } from './harness.ts'

const pdf = {
  subject: 'DefenseMaterial',
  name: 'proof.pdf',
  type: 'application/pdf',
  content: Buffer.from('%PDF-1.7'),
}

describe('the registration of webhooks', () => {
  test('makes one, and brings the key that signs it', async () => {
    const bench = openBench()
    const register = () => bench.connector.registerNotifications?.(bench.call({}))
    expect(await register()).toEqual({ status: 'registered', fields: { hmac_key: HMAC_KEY } })
    expect(bench.fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /merchants/RailyardTestECOM/webhooks',
      'POST /merchants/RailyardTestECOM/webhooks',
      'POST /merchants/RailyardTestECOM/webhooks/S2-1/generateHmac',
    ])
    expect(bench.fake.requests[1]?.body).toMatchObject({ type: 'standard', communicationFormat: 'json' })
    // again: the same one, with a new key
    expect(await register()).toMatchObject({ status: 'registered' })
    expect(bench.fake.requests.at(-2)).toMatchObject({
      method: 'PATCH',
      path: '/merchants/RailyardTestECOM/webhooks/S2-1',
    })
  })

  test('tells that a key may not do it, and that an answer was lost', async () => {
    const bench = openBench()
    bench.faults.push({ lost: false, status: 403, headers: {}, body: { detail: 'Not the right permission' } })
    expect(await bench.connector.registerNotifications?.(bench.call({}))).toEqual({
      status: 'refused',
      reason: 'Not the right permission',
    })
    bench.faults.push(undefined, 'lost after')
    expect(await bench.connector.registerNotifications?.(bench.call({}))).toMatchObject({ status: 'unknown' })
    bench.faults.push({ lost: false, status: 429, headers: {}, body: {} })
    expect(await bench.connector.registerNotifications?.(bench.call({}))).toMatchObject({ status: 'unknown' })
  })
})

describe('a dispute', () => {
  const submission = { key: 'evidence-1', dispute: 'DZ4DPSHB4WD2WN82', text: {}, files: [pdf] }

  test('is defended with documents, for a reason that they fit', async () => {
    const bench = openBench()
    expect(await bench.connector.disputes?.submitEvidence(bench.call({}), submission)).toEqual({
      status: 'done',
    })
    expect(bench.fake.requests.map(({ path }) => path)).toEqual([
      '/retrieveApplicableDefenseReasons',
      '/supplyDefenseDocument',
      '/defendDispute',
    ])
    expect(bench.fake.requests[1]?.body['defenseDocuments']).toEqual([
      {
        defenseDocumentTypeCode: 'DefenseMaterial',
        contentType: 'application/pdf',
        content: Buffer.from('%PDF-1.7').toString('base64'),
      },
    ])
    expect(bench.fake.requests[2]?.body).toMatchObject({ defenseReasonCode: 'SupplyDefenseMaterial' })
  })

  test.each([
    ['no document', { ...submission, files: [] }],
    ['a text', { ...submission, text: { product_description: 'Shoes' } }],
    ['a document of another type', { ...submission, files: [{ ...pdf, type: 'text/plain' }] }],
    [
      'a document that is too large',
      { ...submission, files: [{ ...pdf, content: Buffer.alloc(3_000_000) }] },
    ],
    ['a document of another subject', { ...submission, files: [{ ...pdf, subject: 'Other' }] }],
    ['another reason', { ...submission, text: { defense_reason: 'NoSuchReason' } }],
    ['a dispute that is closed', { ...submission, dispute: 'LOST1' }],
  ])('is not defended with %s', async (_, refused) => {
    const bench = openBench()
    expect(await bench.connector.disputes?.submitEvidence(bench.call({}), refused)).toMatchObject({
      status: 'refused',
    })
    expect(bench.fake.requests.map(({ path }) => path)).not.toContain('/defendDispute')
  })

  test('is accepted, and a lost answer is unknown', async () => {
    const bench = openBench()
    const accept = () =>
      bench.connector.disputes?.accept(bench.call({}), { key: 'a', id: 'DZ4DPSHB4WD2WN82' })
    bench.faults.push('lost after')
    expect(await accept()).toMatchObject({ status: 'unknown' })
    expect(await accept()).toEqual({ status: 'done' })
    expect(bench.fake.requests).toHaveLength(1)
  })
})

test('credentials are accepted, refused, or not answered', async () => {
  const bench = openBench()
  const verify = () => bench.connector.verifyCredentials(bench.call({}))
  expect(await verify()).toBe('accepted')
  bench.fields['api_key'] = 'other'
  expect(await verify()).toBe('refused')
  bench.faults.push('lost before')
  expect(await verify()).toBe('no answer')
})

test('a card is stored only by a service that allows card numbers', async () => {
  const bench = openBench()
  const card = { number: '4111111111111111', expirationDate: '03/30', securityCode: null, scheme: 'visa' }
  const store = () => bench.connector.tokenize?.({ ...bench.call({}), id: 'stored-1', card })
  expect(await store()).toEqual({ status: 'refused' })
  bench.fields['card_numbers'] = 'allow'
  expect(await store()).toEqual({ status: 'succeeded', token: 'stored-1/M5N7TQ4TG5PFWR50' })
})

describe('the environment', () => {
  const sent: string[] = []
  const http = async ({ url }: { url: string }) => {
    sent.push(url)
    return { lost: true as const, sent: false, reason: 'ECONNREFUSED' }
  }
  const visit = async (isSandbox: boolean, fields: Record<string, string>) => {
    sent.length = 0
    const connector = adyenCard({ clock: { now: () => 0 }, isSandbox })
    const check = await connector.verifyCredentials({
      http,
      service: { id: 's', fields, notificationUrl: '' },
    })
    return [check, ...sent]
  }

  test('of the provider’s test system is the same in a sandbox and in production', async () => {
    for (const isSandbox of [true, false])
      expect(await visit(isSandbox, { environment: 'sandbox' })).toEqual([
        'no answer',
        'https://checkout-test.adyen.com/v71/paymentMethods',
      ])
  })

  test('of live payments is there in production only, under the merchant’s prefix', async () => {
    const live = { environment: 'production', live_url_prefix: '1797a841fbb37ca7-Shop' }
    expect(await visit(true, live)).toEqual(['refused'])
    expect(await visit(false, live)).toEqual([
      'no answer',
      'https://1797a841fbb37ca7-Shop-checkout-live.adyenpayments.com/checkout/v71/paymentMethods',
    ])
    for (const live_url_prefix of ['', 'evil.example/', 'a b', '@host'])
      expect(await visit(false, { ...live, live_url_prefix })).toEqual(['refused'])
  })
})
