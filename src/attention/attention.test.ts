import { afterEach, expect, test } from 'vitest'
import { addAntiFraudService } from '../../test/support/domains/anti-fraud.ts'
import { reviewsOf } from '../../test/support/domains/reviews.ts'
import { person } from '../../test/support/people.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { keepVerification } from '../verify/verification.store.ts'

const { railyard, shop } = await startShop()
afterEach(() => injectFaults(railyard))

const none = { count: 0, more: false }
const nothing = {
  type: 'attention',
  open_reviews: none,
  unknown_operations: none,
  disputes: { ...none, next_evidence_due_at: null },
  unmatched_report_lines: none,
  failed_webhook_deliveries: none,
  monitoring_incidents: none,
  hosted_page_incidents: none,
  open_circuits: none,
  proposals: null,
  verification: null,
}
const one = { count: 1, more: false }
const attention = async (of = shop) => (await of.get('/attention')).body

test('an account without work for a person has zeros', async () => {
  expect(await attention(await openShop(railyard))).toEqual(nothing)
})

test('a lost answer, a review and a dispute are counted for their account alone', async () => {
  const other = await openShop(railyard)
  await addAntiFraudService(railyard, shop)
  await reviewsOf(railyard, shop).payForReview(10_00)
  const disputed = await shop.sold(11_00)
  await railyard.admin.post(
    `/sandbox/transactions/${disputed.id}/simulate`,
    { event: 'dispute_notified' },
    { 'x-svc-merchant-account-id': shop.account },
  )
  await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
  await shop.sold(12_00)
  expect(await attention()).toMatchObject({
    open_reviews: one,
    unknown_operations: one,
    disputes: { ...one, next_evidence_due_at: expect.any(String) },
  })
  expect(await attention(other)).toEqual(nothing)
})

test('a person sees the counts that their scopes open, and no others', async () => {
  const support = await person(railyard, { merchantAccounts: [shop.account], roles: ['customer-support'] })
  const { status, body } = await support.send('GET', '/attention', undefined, {
    'x-svc-merchant-account-id': shop.account,
  })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      open_reviews: { more: false },
      disputes: { more: false },
      failed_webhook_deliveries: null,
      monitoring_incidents: null,
      unmatched_report_lines: null,
    },
  })
})

test('a person sees how many proposals they may decide, which a key pair never does', async () => {
  const account = await openShop(railyard)
  const boss = await person(railyard, { merchantAccounts: [account.account] })
  const { id } = await account.authorized(10_00)
  await account.post('/proposals', { method: 'POST', path: `/transactions/${id}/void`, reason: 'Canceled' })
  const own = { method: 'POST', path: `/transactions/${id}/capture`, body: {}, reason: 'Shipped' }
  const header = { 'x-svc-merchant-account-id': account.account }
  await boss.send('POST', '/proposals', own, header)
  expect((await boss.get('/attention', header)).body.proposals).toEqual(one)
  expect((await attention(account)).proposals).toBeNull()
})

test('what the last verification found of the account is kept', async () => {
  const account = (await openShop(railyard)).account
  const found = { findings: [shop.account, shop.account], brokenLinks: [account] }
  await keepVerification(railyard.world.run, railyard.clock, { findings: [], brokenLinks: [] })
  await keepVerification(railyard.world.run, railyard.clock, found)
  expect((await attention()).verification).toEqual({
    verified_at: expect.any(String),
    findings: 2,
    broken_links: 0,
  })
})

test('more than a thousand are counted as a thousand and more', async () => {
  const busy = await openShop(railyard)
  await railyard.world.run(
    `insert into page_incidents (merchant_account_id, id, page, kind, subject, reports, last_reported_at, created_at, updated_at)
     select $1, gen_random_uuid(), 'payment-link', 'blocked', 'subject ' || n, 1, now(), now(), now() from generate_series(1, 1001) n`,
    [busy.account],
  )
  expect((await attention(busy)).hosted_page_incidents).toEqual({ count: 1000, more: true })
})
