import { describe, expect, test } from 'vitest'
import {
  addPolicy,
  approverFor,
  decides,
  forAccount,
  proposed,
} from '../../../test/support/domains/approvals.ts'
import { readEvents } from '../../../test/support/events.ts'
import { booksOf } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()
const approver = await approverFor(railyard, shop)
await addPolicy(railyard, shop, {
  operations: ['refund', 'void'],
  thresholds: [{ currency: 'EUR', amount: 10_00 }],
})

const refundPath = (id: string) => `/transactions/${id}/refunds`
const eventsOf = async (id: string) =>
  (await readEvents(railyard, shop)).filter(({ target }) => target.id === id).map(({ name }) => name)

describe('a request that needs approval', () => {
  test('is refused, and the answer names the policy and says what to do', async () => {
    const payment = await shop.sold(50_00)
    const refused = await payment.refund({ amount: 10_01 })
    expect(refused).toMatchObject({
      status: 403,
      body: {
        code: 'approval_required',
        message: expect.stringContaining('POST /proposals'),
        details: [{ location: 'policy', message: expect.stringContaining('Four eyes') }],
      },
    })
    expect(await payment.read()).toMatchObject({ refunded_amount: 0 })
  })

  test('needs none up to the amount of the policy, and the refunds of a transaction count together', async () => {
    const payment = await shop.sold(50_00)
    expect((await payment.refund({ amount: 6_00 })).status).toBe(201)
    expect((await payment.refund({ amount: 4_01 })).status).toBe(403)
    expect((await payment.refund({ amount: 4_00 })).status).toBe(201)
  })

  test.each([
    { what: 'a refund without an amount', path: refundPath, body: undefined },
    { what: 'a refund of everything', path: (id: string) => `${refundPath(id)}/all`, body: undefined },
    {
      what: 'another spelling of the path',
      path: (id: string) => `${refundPath(id.toUpperCase())}/`,
      body: { amount: 20_00 },
    },
    { what: 'a forced refund', path: refundPath, body: { amount: 20_00, force: true, reason: 'Lost' } },
  ])('is $what, too', async ({ path, body }) => {
    const { id } = await shop.sold(50_00)
    expect(await shop.post(path(id), body)).toMatchObject({
      status: 403,
      body: { code: 'approval_required' },
    })
  })

  test('is one in a currency for which the policy has no amount', async () => {
    const payment = await shop.sold(50_00, { currency: 'USD' })
    expect(await payment.refund({ amount: 1 })).toMatchObject({
      status: 403,
      body: { code: 'approval_required' },
    })
  })

  test('is none that repeats, under its idempotency key, what was done before', async () => {
    const payment = await shop.sold(50_00)
    const key = { 'idempotency-key': payment.id }
    const first = await payment.refund({ amount: 6_00 }, key)
    expect(await payment.refund({ amount: 6_00 }, key)).toMatchObject({
      status: 201,
      body: { id: first.body.id },
    })
    expect(await payment.refunds()).toHaveLength(1)
  })

  test('is unknown to other accounts', async () => {
    const payment = await (await openShop(railyard)).sold(50_00)
    expect((await payment.refund()).status).toBe(201)
  })
})

test('an approved refund is made once, in the name of its requester, under the id of the proposal', async () => {
  const payment = await shop.sold(50_00)
  const proposal = await proposed(shop, 'POST', refundPath(payment.id), { amount: 20_00 })
  expect(proposal).toMatchObject({
    type: 'proposal',
    status: 'pending',
    operations: ['refund'],
    path: refundPath(payment.id),
    body: { amount: 20_00 },
    reason: 'The goods came back',
    resource: { type: 'transaction', id: payment.id },
    amount: 20_00,
    currency: 'EUR',
    requester: { type: 'api-key-pair' },
    preconditions: { status: 'capture_succeeded', captured_amount: 50_00, refunded_amount: 0 },
    changed_since: [],
    can_decide: false,
  })
  const approved = await decides(approver, shop, proposal, 'approve', { comment: 'I have seen the parcel' })
  expect(approved).toMatchObject({
    status: 200,
    body: {
      status: 'executed',
      decisions: [{ user: { id: approver.id }, decision: 'approved', comment: 'I have seen the parcel' }],
      result: { status_code: 201, resource_id: expect.any(String), error: null },
    },
  })
  const refunds = await payment.refunds()
  expect(refunds).toMatchObject([
    { id: approved.body.result.resource_id, amount: 20_00, status: 'succeeded' },
  ])
  expect(await eventsOf(proposal.id)).toEqual(['proposal.created', 'proposal.approved', 'proposal.executed'])
  // the same request under the same key is the same refund
  const repeated = await shop.post(
    refundPath(payment.id),
    { amount: 20_00 },
    { 'idempotency-key': proposal.id },
  )
  expect(repeated).toMatchObject({ status: 201, body: { id: approved.body.result.resource_id } })
  expect(await payment.refunds()).toHaveLength(1)
  const { operations } = await booksOf(railyard)
  expect(operations.filter(({ amount, kind }) => kind === 'refund' && amount === 20_00)).toHaveLength(1)
  const entries = (await railyard.admin.get('/audit-logs?limit=100', forAccount(shop))).body.items.filter(
    ({ proposal_id, resource }: { proposal_id?: string; resource: { id: string } }) =>
      proposal_id === proposal.id || resource.id === proposal.id,
  )
  expect(entries).toMatchObject([
    { action: 'created', resource: { type: 'refund' }, proposal_id: proposal.id },
    { action: 'updated', resource: { type: 'proposal', name: 'approved' }, user: { id: approver.id } },
    { action: 'created', resource: { type: 'proposal' } },
  ])
})
