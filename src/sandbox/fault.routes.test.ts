import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'

test('faults of providers that cannot be reached are 502', async () => {
  const alone = await startTestRailyard({ SANDBOX_URL: 'http://127.0.0.1:9' })
  onTestFinished(() => alone.close())
  const unreachable = { status: 502, body: { type: 'error', code: 'bad_gateway', status: 502, details: [] } }
  expect(await alone.admin.get('/sandbox/faults')).toMatchObject(unreachable)
  expect(await alone.admin.put('/sandbox/faults', { items: [] })).toMatchObject(unreachable)
})

describe('a list that is refused', () => {
  let railyard: TestRailyard
  beforeAll(async () => {
    railyard = await startTestRailyard()
  })
  afterAll(() => railyard.close())

  const never = (why: string) => expect.stringMatching(`would never strike: ${why}`)

  test.each([
    ['a delay of nobody knows how long', { kind: 'delay' }, { '/delay_ms': 'is needed by delay' }],
    ['a refusal of what cannot be declined', { operation: 'find', kind: 'decline' }, { '/kind': never('nothing of find can be declined') }],
    ['a notification that nobody gets', { operation: 'redeem', kind: 'notification_lost' }, { '/kind': never('nobody is notified of redeem') }],
    ['an answer that nobody repeats', { operation: 'screening', kind: 'duplicate' }, { '/kind': never('answers to screening') }],
    ['a chance of nothing', { probability: 0 }, { '/probability': never('must be more than 0') }],
    ['digits where there is no card', { operation: 'balance', bin_from: '411111' }, { '/bin_from': never('no card is known of balance') }],
    ['digits that no card has', { bin_from: '411111', bin_to: '400000' }, { '/bin_to': expect.stringMatching('no card lies between') }],
    ['a window that ends before it starts', { starts_in: 60, ends_in: 'PT1M' }, { '/ends_in': never('the window ends before it starts') }],
    ['a window that is over', { ends_at: '2020-01-01T00:00:00Z' }, { '/ends_at': never('the window is over') }],
    ['two starts', { starts_in: 1, starts_at: '2030-01-01T00:00:00Z' }, { '/starts_in': 'excludes starts_at' }],
    ['two mistakes', { kind: 'rate_limit', ends_in: 'P1X' }, { '/per_second': 'is needed by rate_limit', '/ends_in': 'is no duration of ISO 8601' }],
  ])('%s: its details name the member', async (_what, fault, problems) => {
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

  test('of one payment service it says which of the faults are another’s', async () => {
    const items = [
      { payment_service_id: 'mine', operation: '*', kind: 'error' },
      { operation: '*', kind: 'error' },
    ]
    expect(await railyard.admin.put('/sandbox/faults?payment_service_id=mine', { items })).toMatchObject({
      status: 400,
      body: { details: [{ location: 'body', pointer: '/items/1/payment_service_id', message: 'must be mine, whose faults are replaced' }] },
    })
  })
})
