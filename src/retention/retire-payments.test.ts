import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDisputeProvider, disputeNotice, referenceOf, tell } from '../../test/support/domains/disputes.ts'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { cardReport, readReport, sourceOf } from '../../test/support/domains/reconciliation.ts'
import {
  cutNow,
  DAY_MS,
  findingsAfter,
  KEPT_MS,
  retire,
  seal,
  signedInAgain,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { readEvents } from '../../test/support/events.ts'
import { card, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Payment, type Shop } from '../../test/support/shop.ts'
import { retiredTables } from '../database/partitions/partitioned-tables.ts'
import { readPartitions } from '../database/partitions/read-partitions.ts'
import { runDueErasures } from '../privacy/run-erasures.ts'

// The payments of one time are retired, those of a later time stay.

let railyard: TestRailyard
let shop: Shop
const old: Record<'refunded' | 'authorized' | 'failed', string> = { refunded: '', authorized: '', failed: '' }
let kept: Payment
let refund: string
let payout: string
let bound: string
let cursor: string
let reference: string
let buyer: string

beforeAll(async () => {
  railyard = await startOldRailyard()
  shop = await openShop(railyard)
  addDisputeProvider(railyard)
  buyer = (await shop.post('/buyers', { display_name: 'Ada Lovelace' })).body.id
  const refunded = await shop.sold(100_00, { buyer_id: buyer })
  reference = await referenceOf(refunded)
  old.refunded = refunded.id
  const authorized = await shop.authorized(50_00, { metadata: { gift_for: 'Ada Lovelace' } })
  old.authorized = authorized.id
  old.failed = (await shop.pay(200_016)).body.id
  payout = (await shop.post('/payouts', payoutOf(shop.paymentServiceId))).body.id
  await sendLink(railyard, shop)
  cursor = (await shop.get('/events?limit=2')).body.next_cursor
  bound = await cutNow(railyard)
  railyard.clock.advance(20 * DAY_MS)
  refund = (await refunded.refund({ amount: 10_00 }, { 'idempotency-key': 'late refund' })).body.id
  // too late, which an event tells
  await authorized.capture()
  kept = await shop.sold(70_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS - 10 * DAY_MS)
  // the token of before is over
  shop = await signedInAgain(railyard, shop)
})
afterAll(() => railyard.close())

const rowsOf = async (table: string) =>
  (await railyard.world.run<{ count: number }>(`select count(*) as count from ${table}`, []))[0]?.count

test('payments of before the bound are retired, with one partition of each table, and the audit log stays', async () => {
  const audited = await rowsOf('audit_entries')
  expect(await verifyFindings(railyard)).toEqual([])
  const [later] = await railyard.world.run(
    `select target::text as text from events where id >= $1 and target_id = $2`,
    [bound, old.authorized],
  )
  expect(later?.['text']).toContain('gift_for')
  expect(await retire(railyard)).toBe(retiredTables.length)
  const partitions = (await readPartitions(railyard.world.db)).filter(({ name }) => name.endsWith('_p1'))
  expect(partitions.map(({ name }) => name)).toEqual(['audit_entries_p1'])
  expect(await rowsOf('transactions')).toBe(1)
  expect(await rowsOf('audit_entries')).toBe(audited)
  expect(await retire(railyard)).toBe(0)
})

test('what is retired is not found, and the rest is', async () => {
  for (const path of [
    ...Object.values(old).flatMap((id) => [
      `/transactions/${id}`,
      `/transactions/${id}/events`,
      `/transactions/${id}/proof`,
      `/transactions/${id}/refunds`,
      `/transactions/${id}/disputes`,
    ]),
    `/refunds/${refund}`,
    `/transactions/${old.refunded}/refunds/${refund}`,
    `/payouts/${payout}`,
  ])
    expect(await shop.get(path), path).toMatchObject({ status: 404 })
  expect(await shop.get(`/transactions/${kept.id}`)).toMatchObject({ status: 200 })
  expect((await shop.get('/transactions')).body.items).toHaveLength(1)
})

test.for(['capture', 'void', 'refunds', 'refunds/all', 'sync', 'cancel', 'authorization/increment'])(
  '%s of a retired payment is a 404',
  async (action) => {
    for (const id of Object.values(old))
      expect(
        await shop.post(
          `/transactions/${id}/${action}`,
          action.startsWith('auth') ? { amount: 1 } : undefined,
        ),
      ).toMatchObject({ status: 404 })
  },
)

test('a request about a retired payment is repeated with its answer', async () => {
  const path = `/transactions/${old.refunded}/refunds`
  const again = await shop.post(path, { amount: 10_00 }, { 'idempotency-key': 'late refund' })
  expect(again.body).toMatchObject({ id: refund })
})

test('the event feed goes on after a retired event, and has later events of retired payments', async () => {
  expect((await readEvents(railyard, shop)).map(({ target }) => target.id)).toContain(refund)
  expect(await shop.get(`/events?limit=100&after=${cursor}`)).toMatchObject({ status: 200 })
})

test('later events of retired payments still say in which currency their amounts are, and when', async () => {
  const items = await readEvents(railyard, shop)
  const eventOf = (id: string) => items.find(({ target }) => target.id === id) ?? expect.fail('no event')
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  expect(eventOf(refund).target).toMatchObject({
    type: 'refund',
    transaction_id: old.refunded,
    status: 'succeeded',
    amount: 10_00,
    currency: 'EUR',
    created_at: time,
    updated_at: time,
  })
  expect(eventOf(old.authorized)).toMatchObject({ name: 'transaction.capture-failed' })
  expect(eventOf(old.authorized).target).toMatchObject({
    type: 'transaction',
    payment_method: { method: 'card' },
    amount: 50_00,
    currency: 'EUR',
    captured_amount: 0,
    refunded_amount: 0,
    pending_review: false,
    has_gift_card_redemptions: false,
    created_at: time,
    updated_at: time,
  })
})

test('a settlement line, a dispute and a notification of a retired payment find no payment', async () => {
  const source = await sourceOf(railyard, shop.account, shop.paymentServiceId)
  const { counts } = await readReport(railyard, source, await cardReport(railyard, shop.paymentServiceId))
  expect(counts.unknown_transaction).toBeGreaterThan(0)
  expect(await tell(railyard, shop, disputeNotice(reference))).toMatchObject({ status: 200 })
  const { body } = await shop.get('/disputes')
  expect(body.items).toMatchObject([{ transaction_id: null, discrepancy: 'unknown_transaction' }])
})

test('what is left of a retired payment has no personal data', async () => {
  const left = await railyard.world.run(
    `select target::text as text from events union all select answer::text from idempotency_keys where answer is not null`,
    [],
  )
  expect(left.length).toBeGreaterThan(1)
  expect(left.map(({ text }) => text).join()).not.toContain('gift_for')
})

test('a buyer whose payments are retired is erased', async () => {
  expect(await shop.post(`/buyers/${buyer}/erase`)).toMatchObject({ status: 202 })
  await runDueErasures(railyard.world)
  railyard.clock.advance(120_000)
  await runDueErasures(railyard.world)
  expect(await shop.get(`/buyers/${buyer}/erasure`)).toMatchObject({ body: { status: 'succeeded' } })
})

describe('railyard verify', () => {
  test('finds nothing after a retirement, and nothing after more work', async () => {
    expect(await verifyFindings(railyard)).toEqual([])
    expect(await shop.post(`/transactions/${kept.id}/refunds`, { amount: 5_00 })).toMatchObject({
      status: 201,
    })
    expect(
      await shop.post('/transactions', { amount: 20_00, currency: 'EUR', payment_method: card }),
    ).toMatchObject({ status: 201 })
    await seal(railyard)
    expect(await verifyFindings(railyard)).toEqual([])
  })

  test.each([
    [
      'an operation that stays',
      `update operations set effective_amount = effective_amount + 1, amount = amount + 1`,
    ],
    [
      'an event of a retired payment that stays',
      `update events set name = 'refund.failed' where name = 'refund.succeeded'`,
    ],
    ['a link that was left', `update retired_links set entries = entries + 1`],
    ['the hash of a link that was left', `update retired_links set hash = '\\x00'`],
    ['the amounts that were retired', `update retirements set counts = '{}'`],
    ['the bound', `update retirements set below = '00000000-0000-7000-8000-000000000000'`],
  ])('finds that %s was changed', async (_what, change) => {
    expect(await findingsAfter(railyard, change)).not.toEqual([])
  })

  test('finds that a row is gone of a link that lost others by the retirement', async () => {
    const found = await findingsAfter(railyard, `delete from events where target_id = '${refund}'`)
    expect(found).toContainEqual(expect.stringMatching(/^link \d+ has \d+ entries, and \d+ were sealed$/))
  })

  test('finds a retirement that was deleted, and a link of it', async () => {
    expect(await findingsAfter(railyard, 'delete from retirements')).not.toEqual([])
    expect(await findingsAfter(railyard, 'delete from retired_links where number = 1')).not.toEqual([])
  })

  test('finds a forged retirement of the payments that stay', async () => {
    const found = await findingsAfter(
      railyard,
      ...retiredTables.map(({ table }) => `delete from ${table}`),
      `insert into retirements select 2, '0fffffff-0000-7000-8000-000000000000', actor, started_at, null, retired_at, counts, hash from retirements`,
      `insert into retired_links select merchant_account_id, number, 2, 0, hash from journal_seals`,
    )
    expect(found).toContain('retirement 2 is not what was sealed')
    expect(found).toContainEqual(expect.stringMatching(/^link \d+ /))
  })
})

test('the retirement has its bound, its time, who made it, and what it has removed', async () => {
  const [row] = await railyard.world.run('select below, actor, counts from retirements', [])
  expect(row).toMatchObject({
    below: bound,
    actor: 'background',
    counts: {
      rows: { transactions: 3 },
      amounts: [
        {
          account: shop.account,
          currency: 'EUR',
          payments: 3,
          authorized: '15000',
          captured: '10000',
          refunded: '1000',
        },
      ],
    },
  })
})
