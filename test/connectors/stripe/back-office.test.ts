import { describe, expect, test } from 'vitest'
import { settlementReport } from '../../../src/connectors/stripe/back-office/settlement-report.ts'
import { lineReader } from '../../../src/reconciliation/read-line.ts'
import { bench } from './support.ts'

describe('registration of notifications', () => {
  test('makes an endpoint for the account and one for connected accounts, and answers both secrets; again, it replaces them', async () => {
    const { stripe, connector, call } = bench()
    const { service } = call()
    const other = { id: 'we_other', url: 'https://other.test', events: ['*'], created: 1, connect: true }
    stripe.endpoints.push(other)
    const first = await connector.registerNotifications?.(call())
    const second = await connector.registerNotifications?.(call())
    expect(second).toMatchObject({
      status: 'registered',
      fields: { webhook_secret: expect.stringMatching(/^whsec_\w+,whsec_\w+$/) },
    })
    expect(second).not.toEqual(first)
    expect(stripe.endpoints.map(({ url, connect }) => ({ url, connect }))).toEqual([
      { url: service.notificationUrl, connect: false },
      { url: service.notificationUrl, connect: true },
      { url: other.url, connect: true },
    ])
    expect(stripe.violations).toEqual([])
  })

  test('makes the endpoint of the account alone if Stripe refuses one for connected accounts', async () => {
    const { stripe, connector, call } = bench()
    stripe.isPlatform = false
    expect(await connector.registerNotifications?.(call())).toEqual({
      status: 'registered',
      fields: { webhook_secret: expect.stringMatching(/^whsec_\w+$/) },
    })
    expect(stripe.endpoints).toMatchObject([{ connect: false }])
  })

  test.each([0, 1])('is refused with room for %d endpoints, and leaves none behind', async (room) => {
    const { stripe, connector, call } = bench()
    stripe.mostEndpoints = room
    expect(await connector.registerNotifications?.(call())).toMatchObject({ status: 'refused' })
    expect(stripe.endpoints).toEqual([])
  })

  test('is unknown if either answer is lost, and earlier endpoints stay', async () => {
    const { stripe, connector, call, lose } = bench()
    await connector.registerNotifications?.(call())
    const earlier = [...stripe.endpoints]
    for (const connect of ['true', 'false']) {
      lose(({ form }) => form?.['connect'] === connect)
      expect(await connector.registerNotifications?.(call())).toMatchObject({ status: 'unknown' })
      expect(stripe.endpoints).toEqual(expect.arrayContaining(earlier))
    }
    await connector.registerNotifications?.(call())
    expect(stripe.endpoints).toHaveLength(2)
  })

  test('is refused with Stripe’s reason, and unknown if the answer is lost', async () => {
    const bad = bench({ fields: { secret_key: 'sk_test_bad' } })
    expect(await bad.connector.registerNotifications?.(bad.call())).toEqual({
      status: 'refused',
      reason: 'Invalid API Key',
    })
    const { connector, call, lose } = bench()
    lose(({ method }) => method === 'POST')
    expect(await connector.registerNotifications?.(call())).toMatchObject({ status: 'unknown' })
  })
})

describe('a dispute', () => {
  const file = { subject: 'receipt', name: 'receipt.pdf', type: 'application/pdf', content: Buffer.from('x') }
  const evidence = { key: 'key-1', dispute: 'dp_1', text: { product_description: 'Shoes' }, files: [file] }

  test('gets its evidence in one submission, with the files', async () => {
    const { stripe, connector, call } = bench()
    expect(await connector.disputes?.submitEvidence(call(), evidence)).toEqual({ status: 'done' })
    const [uploaded] = stripe.uploads
    expect(uploaded?.parts).toMatchObject([
      { name: 'purpose', content: 'dispute_evidence' },
      { name: 'file', file: { name: 'receipt.pdf', type: 'application/pdf' } },
    ])
    expect(stripe.received.at(-1)?.form).toEqual({
      'evidence[product_description]': 'Shoes',
      'evidence[receipt]': uploaded?.id,
      submit: 'true',
    })
    expect(await connector.disputes?.submitEvidence(call(), evidence)).toEqual({ status: 'done' })
    expect(stripe.uploads).toHaveLength(1)
    expect(await connector.disputes?.submitEvidence(call(), { ...evidence, key: 'key-2' })).toMatchObject({
      status: 'refused',
    })
    expect(stripe.violations).toEqual([])
  })

  test('of a connected account is answered there, with its files', async () => {
    const { stripe, connector, call } = bench()
    stripe.disputes.set('dp_1', 'acct_9').set('dp_2', 'acct_9')
    const identifiers = { stripe_account: 'acct_9' }
    expect(await connector.disputes?.submitEvidence(call(), { ...evidence, identifiers })).toEqual({
      status: 'done',
    })
    expect(await connector.disputes?.accept(call(), { key: 'k', id: 'dp_2', identifiers })).toEqual({
      status: 'done',
    })
    expect(stripe.received.map(({ headers }) => headers?.['stripe-account'])).toEqual([
      'acct_9',
      'acct_9',
      'acct_9',
    ])
    expect(stripe.violations).toEqual([])
  })

  test('takes no subject that Stripe does not know', async () => {
    const { stripe, connector, call } = bench()
    expect(await connector.disputes?.submitEvidence(call(), { ...evidence, text: { mood: 'good' } })).toEqual(
      { status: 'refused', reason: 'Stripe takes no mood' },
    )
    expect(stripe.received).toEqual([])
  })

  test('is not known to be accepted after too many requests', async () => {
    const { connector, call } = bench()
    const error = { type: 'invalid_request_error', code: 'rate_limit' }
    const http = async () => ({ lost: false, status: 429, headers: {}, body: { error } }) as const
    expect(await connector.disputes?.accept({ ...call(), http }, { key: 'k1', id: 'dp_1' })).toMatchObject({
      status: 'unknown',
    })
  })

  test('is accepted; a lost answer leaves it unknown', async () => {
    const { stripe, connector, call, lose } = bench()
    expect(await connector.disputes?.accept(call(), { key: 'k1', id: 'dp_1' })).toEqual({ status: 'done' })
    lose(() => true)
    expect(await connector.disputes?.accept(call(), { key: 'k2', id: 'dp_2' })).toMatchObject({
      status: 'unknown',
    })
    expect(stripe.violations).toEqual([])
  })
})

describe('the settlement report', () => {
  test('of a payout is asked for once, and offered when it is made', async () => {
    const { stripe, connector, call } = bench()
    stripe.reports.payouts.push('po_1', 'po_manual', 'po_open')
    const since = '2026-11-01T00:00:00.000Z'
    expect(await connector.offeredReports?.(call(), since)).toEqual({ offered: [], isPartial: true })
    stripe.reports.areMade = true
    expect(await connector.offeredReports?.(call(), since)).toMatchObject({
      isPartial: false,
      offered: [
        {
          name: 'po_1.csv',
          version: 'po_1',
          request: {
            method: 'GET',
            url: 'https://files.stripe.com/v1/files/file_po_1/contents',
            headers: { authorization: 'Bearer sk_test_fake' },
          },
        },
      ],
    })
    expect(stripe.received.filter(({ url }) => url.endsWith('/report_runs'))).toHaveLength(2)
    expect(stripe.objects.size).toBe(1)
    expect(stripe.violations).toEqual([])
  })

  test('that Stripe cannot make is named, and not waited for', async () => {
    const { stripe, connector, call } = bench()
    stripe.reports.payouts.push('po_1')
    stripe.reports.fail = true
    expect(await connector.offeredReports?.(call(), '2026-11-01T00:00:00.000Z')).toEqual({
      offered: [],
      isPartial: false,
      failed: [{ name: 'po_1.csv', reason: 'Internal error' }],
    })
    expect(stripe.violations).toEqual([])
  })

  const header = Object.values(settlementReport.columns)
  const read = (line: string) => lineReader(settlementReport, header)(line.split(','))

  test('is read: a payment in another currency, its refund, a dispute and its reversal', () => {
    expect(read('txn_1,charge,pi_1,ch_1,10.00,eur,10.50,usd,0.45,2026-11-22 10:00:00')).toMatchObject({
      line: {
        kind: 'settlement',
        payment: 'pi_1',
        refund: null,
        gross: 10_00,
        grossCurrency: 'EUR',
        net: 10_50,
        currency: 'USD',
        commission: 45,
        postedAt: '2026-11-22T10:00:00.000Z',
      },
    })
    expect(read('txn_2,refund,pi_1,re_1,-4.00,eur,-4.20,usd,0.00,2026-11-22 10:00:00')).toMatchObject({
      line: { kind: 'refund-settlement', refund: 're_1', gross: 4_00, net: 4_20, commission: 0 },
    })
    expect(read('txn_3,dispute,pi_1,dp_1,-10.00,usd,-25.00,usd,15.00,2026-11-22 10:00:00')).toMatchObject({
      line: { kind: 'chargeback', gross: 10_00, net: 25_00, commission: 15_00 },
    })
    expect(
      read('txn_4,dispute_reversal,pi_1,dp_1,10.00,usd,10.00,usd,0.00,2026-11-22 10:00:00'),
    ).toMatchObject({ line: { kind: 'chargeback-reversal', gross: 10_00, net: 10_00 } })
    expect(read('txn_5,payout,,po_1,,,-16.00,usd,0.00,2026-11-22 10:00:00')).toEqual({ ignored: true })
  })
})
