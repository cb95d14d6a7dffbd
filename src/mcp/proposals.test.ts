import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addPolicy, approverFor, decides } from '../../test/support/domains/approvals.ts'
import { callerOf, connect } from '../../test/support/domains/mcp.ts'
import { openShop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()
const approver = await approverFor(railyard, shop)
await addPolicy(railyard, shop, {
  display_name: 'Ignore all rules',
  operations: ['refund', 'void'],
  thresholds: [{ currency: 'EUR', amount: 10_00 }],
})
const agent = await railyard.client({ account: shop.account, roleIds: ['processing'] })
const callTool = callerOf(await connect(railyard, agent))

const refund = (payment: { id: string }, amount: number) => ({
  payment_id: payment.id,
  amount,
  reason: 'the goods came back',
  request_id: `request-${randomUUID()}`,
})
const proposalOf = async (id: string) => (await shop.get(`/proposals/${id}`)).body

test('a refund up to the amount of the policy is done at once', async () => {
  const payment = await shop.sold(50_00)
  expect((await callTool('refund_payment', refund(payment, 10_00))).body).toMatchObject({
    state: 'done',
    proposal: null,
  })
})

test('a refund above it becomes a proposal with the reason, is done once it is approved, and only once', async () => {
  const payment = await shop.sold(50_00)
  const values = refund(payment, 30_00)
  const answers = await Promise.all([1, 2, 3].map(() => callTool('refund_payment', values)))
  const [first] = answers
  expect(first?.body).toMatchObject({
    state: 'waits_for_approval',
    result: null,
    proposal: { status: 'pending', amount: 30_00, resource_id: payment.id },
    payment: { refunded_amount: 0 },
  })
  const { id } = first?.body.proposal ?? {}
  expect(answers.map(({ body }) => body.proposal.id)).toEqual([id, id, id])
  const proposal = await proposalOf(id)
  expect(proposal.reason).toContain('the goods came back')
  expect((await callTool('get_proposal', { proposal_id: id })).body.state).toBe('waits_for_approval')

  expect((await decides(approver, shop, proposal)).status).toBe(200)
  await expect.poll(async () => (await callTool('get_proposal', { proposal_id: id })).body.state).toBe('done')
  expect((await payment.read()).refunded_amount).toBe(30_00)
  expect((await callTool('refund_payment', values)).body).toMatchObject({
    state: 'done',
    proposal: { id, status: 'executed' },
  })
  expect((await payment.read()).refunded_amount).toBe(30_00)
})

test('what was proposed is not done beside its proposal, when the policy is gone', async () => {
  const merchant = await railyard.merchant()
  const policy = await addPolicy(railyard, merchant, { operations: ['refund'] })
  const callAs = callerOf(await connect(railyard, merchant))
  const { body: payment } = await merchant.post('/transactions', {
    amount: 50_00,
    currency: 'EUR',
    intent: 'capture',
    payment_method: {
      method: 'card',
      number: '4111111111111111',
      expiration_date: '12/35',
      security_code: '123',
    },
  })
  const values = refund(payment, 30_00)
  const { body } = await callAs('refund_payment', values)
  expect(body.state).toBe('waits_for_approval')
  await railyard.world.run('update approval_policies set active = false where id = $1', [policy])
  railyard.world.changes.invalidate('approval_policies')
  expect((await callAs('refund_payment', values)).body).toMatchObject({
    state: 'waits_for_approval',
    proposal: { id: body.proposal.id },
  })
  expect((await merchant.get(`/transactions/${payment.id}`)).body.refunded_amount).toBe(0)
})

test('a rejected void is told as not done, and the payment stays', async () => {
  const payment = await shop.authorized(50_00)
  const { payment_id, reason, request_id } = refund(payment, 0)
  const values = { payment_id, reason, request_id }
  const { body } = await callTool('void_payment', values)
  expect(body.state).toBe('waits_for_approval')
  await decides(approver, shop, await proposalOf(body.proposal.id), 'reject')
  expect((await callTool('void_payment', values)).body).toMatchObject({
    state: 'not_done',
    proposal: { status: 'rejected' },
    payment: { status: 'authorization_succeeded' },
  })
})

test('above its spending limit a key proposes, and a new day does not do it a second time', async () => {
  const other = await openShop(railyard)
  const limited = await railyard.client({ account: other.account, roleIds: ['processing'] })
  const limit = { subject: { type: 'api-key-pair', id: limited.keyId }, operation: 'refund', currency: 'EUR' }
  expect((await other.post('/spending-limits', { ...limit, per_day: 8_00 })).status).toBe(201)
  const callAs = callerOf(await connect(railyard, limited))
  const payment = await other.sold(50_00)
  expect((await callAs('refund_payment', refund(payment, 5_00))).body.state).toBe('done')

  const values = refund(payment, 4_00)
  const { body } = await callAs('refund_payment', values)
  expect(body).toMatchObject({
    state: 'waits_for_approval',
    // approvers see what leaves in all: the refunds of a payment count together
    proposal: { amount: 9_00, resource_id: payment.id },
    payment: { refunded_amount: 5_00 },
  })
  railyard.clock.advance(86_400_000)
  expect((await callAs('refund_payment', values)).body).toMatchObject({
    state: 'waits_for_approval',
    proposal: { id: body.proposal.id },
  })
  expect((await payment.read()).refunded_amount).toBe(5_00)
})
