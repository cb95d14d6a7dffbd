import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'

test('returns 502 if the providers cannot be reached', async () => {
  const alone = await startTestRailyard({ SANDBOX_URL: 'http://127.0.0.1:9' })
  onTestFinished(() => alone.close())
  const unreachable = { status: 502, body: { type: 'error', code: 'bad_gateway', status: 502, details: [] } }
  expect(await alone.admin.get('/sandbox/faults')).toMatchObject(unreachable)
  expect(await alone.admin.put('/sandbox/faults', { items: [] })).toMatchObject(unreachable)
})

describe('a refused list of faults', () => {
  let railyard: TestRailyard
  beforeAll(async () => {
    railyard = await startTestRailyard()
  })
  afterAll(() => railyard.close())

  const NO_DURATION = 'is neither a number of seconds nor a duration of ISO 8601, such as PT10M'
  const never = (why: string) => expect.stringMatching(`would never strike: ${why}`)

  test.each([
    ['a delay of nobody knows how long', { kind: 'delay' }, { '/delay_ms': 'is needed by delay' }],
    [
      'a refusal of what cannot be declined',
      { operation: 'find', kind: 'decline' },
      { '/kind': never('nothing of find can be declined') },
    ],
    [
      'a notification that nobody gets',
      { operation: 'redeem', kind: 'notification_lost' },
      { '/kind': never('nobody is notified of redeem') },
    ],
    [
      'an answer that nobody repeats',
      { operation: 'screening', kind: 'duplicate' },
      { '/kind': never('answers to screening') },
    ],
    ['a chance of nothing', { probability: 0 }, { '/probability': never('must be more than 0') }],
    [
      'digits where there is no card',
      { operation: 'balance', bin_from: '411111' },
      { '/bin_from': never('no card is known of balance') },
    ],
    [
      'digits that no card has',
      { bin_from: '411111', bin_to: '400000' },
      { '/bin_to': expect.stringMatching('no card lies between') },
    ],
    [
      'a window that ends before it starts',
      { starts_in: 60, ends_in: 'PT1M' },
      { '/ends_in': never('the window ends before it starts') },
    ],
    [
      'a window that is over',
      { ends_at: '2020-01-01T00:00:00Z' },
      { '/ends_at': never('the window is over') },
    ],
    [
      'two starts',
      { starts_in: 1, starts_at: '2030-01-01T00:00:00Z' },
      { '/starts_in': 'excludes starts_at' },
    ],
    [
      'a delay of what is not held',
      { kind: 'lost', delay_ms: 5 },
      { '/delay_ms': 'is for delay and notification_late only' },
    ],
    ['a rate of what has none', { kind: 'lost', per_second: 5 }, { '/per_second': 'is for rate_limit only' }],
    [
      'a start that nobody lives to see',
      { starts_in: 'P99999999Y' },
      { '/starts_in': 'is more than 365 days' },
    ],
    ['an end beyond time', { ends_in: `P${'9'.repeat(15)}Y` }, { '/ends_in': 'is more than 365 days' }],
    [
      'nobody’s faults',
      { payment_service_id: 'nobody' },
      { '/payment_service_id': 'there is no payment service nobody' },
    ],
    ['a start that was', { starts_in: '-PT10M' }, { '/starts_in': NO_DURATION }],
    [
      'two mistakes',
      { kind: 'rate_limit', ends_in: 'P1X' },
      { '/per_second': 'is needed by rate_limit', '/ends_in': NO_DURATION },
    ],
  ])('names the member in its details: %s', async (_what, fault, problems) => {
    const items = [
      { operation: '*', kind: 'error' },
      { operation: 'sale', kind: 'error', ...fault },
    ]
    const { status, body } = await railyard.admin.put('/sandbox/faults', { items })
    const details = Object.entries(problems).map(([pointer, message]) => ({
      location: 'body',
      pointer: `/items/1${pointer}`,
      message,
      type: 'value_error',
    }))
    expect({ status, details: body.details }).toEqual({ status: 400, details })
    expect((await railyard.admin.get('/sandbox/faults')).body.items).toEqual([])
  })

  test('names the faults of other payment services than the one of the query', async () => {
    const { paymentServiceId: mine } = await railyard.merchant()
    const items = [
      { payment_service_id: mine, operation: '*', kind: 'error' },
      { operation: '*', kind: 'error' },
    ]
    expect(await railyard.admin.put(`/sandbox/faults?payment_service_id=${mine}`, { items })).toMatchObject({
      status: 400,
      body: {
        details: [
          {
            location: 'body',
            pointer: '/items/1/payment_service_id',
            message: `must be ${mine}, whose faults are replaced`,
          },
        ],
      },
    })
  })

  test('names the payment services that do not exist', async () => {
    expect(
      await railyard.admin.put('/sandbox/faults?payment_service_id=nobody', { items: [] }),
    ).toMatchObject({
      status: 400,
      body: {
        details: [
          { location: 'query', pointer: 'payment_service_id', message: 'there is no payment service nobody' },
        ],
      },
    })
  })

  test('names the payment services that are not simulated', async () => {
    const { body: stripe } = await railyard.admin.post('/payment-services', {
      display_name: 'Stripe',
      payment_service_definition_id: 'stripe-card',
      accepted_currencies: ['EUR'],
      accepted_countries: ['DE'],
      fields: [{ key: 'secret_key', value: 'sk_test_1' }],
    })
    const items = [{ payment_service_id: stripe.id, operation: 'authorize', kind: 'lost' }]
    const message = `would never strike: payment service ${stripe.id} is not simulated, and faults strike simulators only`
    expect(await railyard.admin.put('/sandbox/faults', { items })).toMatchObject({
      status: 400,
      body: { details: [{ location: 'body', pointer: '/items/0/payment_service_id', message }] },
    })
    expect(
      await railyard.admin.put(`/sandbox/faults?payment_service_id=${stripe.id}`, { items }),
    ).toMatchObject({
      status: 400,
      body: { details: [{ location: 'query', pointer: 'payment_service_id', message }] },
    })
  })
})

test('faults of one payment service, or of the schemes’ services, do not change the others or the seed', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(() => railyard.close())
  const { paymentServiceId: mine } = await railyard.merchant()
  const all = { items: [{ operation: 'capture', kind: 'error' }], seed: 7 }
  expect(await railyard.admin.put('/sandbox/faults', all)).toMatchObject({ status: 200, body: all })
  for (const id of [mine, 'tokens', 'updater', 'three-d-secure']) {
    const one = { items: [{ payment_service_id: id, operation: '*', kind: 'error' }], seed: 8 }
    expect(await railyard.admin.put(`/sandbox/faults?payment_service_id=${id}`, one)).toMatchObject({
      status: 200,
      body: one,
    })
    expect((await railyard.admin.get('/sandbox/faults')).body).toMatchObject({
      items: [...one.items, ...all.items],
      seed: 7,
    })
    await railyard.admin.put(`/sandbox/faults?payment_service_id=${id}`, { items: [] })
  }
})
