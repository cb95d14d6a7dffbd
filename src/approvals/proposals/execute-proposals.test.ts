import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import {
  addPolicy,
  approverFor,
  decides,
  forAccount,
  proposed,
} from '../../../test/support/domains/approvals.ts'
import { walletService } from '../../../test/support/domains/wallet.ts'
import { person } from '../../../test/support/people.ts'
import { booksOf, injectFaults } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import type { Caller } from '../../api/auth/caller.ts'
import { sendInnerRequest } from '../../api/request/inner-requests.ts'
import { runAsRequest } from '../../api/request/request-context.ts'
import { buildServer } from '../../process/server.ts'
import { publicationPreconditions, publishRules } from '../../routing/rules/ruleset.store.ts'
import { executeProposal } from './execute-proposals.ts'
import { readProposal } from './proposal.store.ts'
import { requesterOf } from './requester.ts'

const { railyard, shop } = await startShop()
const { world } = railyard
/** The server of another process of the instance. */
const second = await buildServer(world, railyard.simulatorUrl)
const approver = await approverFor(railyard, shop)
const other = await openShop(railyard)
await addPolicy(railyard, shop, { operations: ['refund', 'credentials', 'flow_publication'] })

const rename = (display_name: string) =>
  proposed(
    railyard.admin,
    'PUT',
    `/payment-services/${shop.paymentServiceId}`,
    { display_name },
    forAccount(shop),
  )
const nameNow = async () => (await shop.get(`/payment-services/${shop.paymentServiceId}`)).body.display_name
const readNow = async (id: string) => (await railyard.admin.get(`/proposals/${id}`, forAccount(shop))).body

/** As if a process had claimed the proposal this often, and stopped each time before its request. */
const claimed = (id: string, attempt: number, dueInMs: number) =>
  world.run(
    `update proposals
        set status = 'executing', attempt = $2, approved_at = now(), due_at = $3::timestamptz
      where id = $1
     returning id`,
    [id, attempt, new Date(world.clock.now() + dueInMs).toISOString()],
  )

/** The request of a proposal as a process sends it that has claimed this attempt. */
async function attemptOf(id: string, attempt: number) {
  const row = await readProposal(world, shop.account, id)
  const caller = (await requesterOf(world, row)) as Caller
  const inner = { kind: 'execute' as const, caller, proposal: { account: shop.account, id, attempt } }
  const { account, method, path, body } = { account: shop.account, ...row, body: (await readNow(id)).body }
  return sendInnerRequest(second, inner, { account, method, path, body: body ?? {}, idempotencyKey: id })
}

test('a process that was paused changes nothing after another one has taken the proposal over', async () => {
  const before = await nameNow()
  const proposal = await rename('Too late')
  await claimed(proposal.id, 2, 60_000)
  expect((await attemptOf(proposal.id, 1)).status).toBe(500)
  expect(await nameNow()).toBe(before)
  const payment = await shop.sold(40_00)
  const refund = await proposed(shop, 'POST', `/transactions/${payment.id}/refunds`, { amount: 15_00 })
  await claimed(refund.id, 2, 60_000)
  expect((await attemptOf(refund.id, 1)).status).toBe(500)
  expect(await payment.refunds()).toEqual([])
  // the present attempt does it
  expect((await attemptOf(proposal.id, 2)).status).toBe(200)
  expect(await nameNow()).toBe('Too late')
})

test('an approved proposal is executed while its server closes and waits for a request', async () => {
  const server = await buildServer(world, railyard.simulatorUrl)
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const proposal = await rename('At the stop')
  await claimed(proposal.id, 0, -1)
  const headers = { 'content-type': 'application/json', 'content-length': 2 }
  const slow = request(`${url}/health/live`, { headers, agent: false })
  slow.write('{')
  await once(server.server, 'request')
  const closed = server.close()
  await expect.poll(() => server.server.listening).toBe(false)
  await executeProposal(world, server, proposal.id)
  expect(await readNow(proposal.id)).toMatchObject({ status: 'executed', result: { status_code: 200 } })
  slow.on('response', (answer) => answer.resume()).end('}')
  await closed
})

test('a change that a dead process has made is found, and not made again', async () => {
  const proposal = await rename('Made once')
  await claimed(proposal.id, 1, -1)
  await attemptOf(proposal.id, 1)
  await shop.put(`/payment-services/${shop.paymentServiceId}`, { display_name: 'Unrelated' })
  const other = await rename('Another name')
  await decides(approver, shop, other)
  await railyard.proposals.runOnce()
  expect(await readNow(proposal.id)).toMatchObject({
    status: 'executed',
    result: { status_code: null, resource_id: shop.paymentServiceId },
  })
  expect(await nameNow()).toBe('Another name')
})

test('a refund whose process died after sending it is not made again, and its answer is found', async () => {
  const payment = await shop.sold(41_00)
  const proposal = await proposed(shop, 'POST', `/transactions/${payment.id}/refunds`, { amount: 17_00 })
  await claimed(proposal.id, 1, -1)
  const { body } = await attemptOf(proposal.id, 1)
  await railyard.proposals.runOnce()
  expect(await readNow(proposal.id)).toMatchObject({
    status: 'executed',
    result: { status_code: 201, resource_id: (body as { id: string }).id },
  })
  const { operations } = await booksOf(railyard)
  expect(operations.filter(({ amount, kind }) => kind === 'refund' && amount === 17_00)).toHaveLength(1)
})

test('two processes and the background work execute a proposal once', async () => {
  const payment = await shop.sold(42_00)
  const proposal = await proposed(shop, 'POST', `/transactions/${payment.id}/refunds`, { amount: 19_00 })
  await world.run(
    `update proposals set status = 'approved', approved_at = now(), due_at = $2::timestamptz where id = $1 returning id`,
    [proposal.id, new Date(world.clock.now()).toISOString()],
  )
  await Promise.all([
    executeProposal(world, second, proposal.id),
    executeProposal(world, second, proposal.id),
    railyard.proposals.runOnce(),
  ])
  expect(await readNow(proposal.id)).toMatchObject({ status: 'executed' })
  expect(await payment.refunds()).toHaveLength(1)
})

test('an answer of the payment service that is lost leaves one refund', async () => {
  const payment = await shop.sold(43_00)
  const proposal = await proposed(shop, 'POST', `/transactions/${payment.id}/refunds`, { amount: 21_00 })
  await injectFaults(railyard, { operation: 'refund', kind: 'lost', times: 1 })
  expect(await decides(approver, shop, proposal)).toMatchObject({ body: { status: 'executed' } })
  await railyard.proposals.runOnce()
  await railyard.recovery.runOnce()
  expect(await payment.refunds()).toHaveLength(1)
})

test('a proposal is stale once what it is about has changed, and says what', async () => {
  const payment = await shop.sold(44_00)
  const path = `/transactions/${payment.id}/refunds`
  const first = await proposed(shop, 'POST', path, { amount: 10_00 })
  const other = await proposed(shop, 'POST', path, { amount: 5_00 })
  await decides(approver, shop, other)
  const changes = [{ member: 'refunded_amount', was: 0, is: 5_00 }]
  expect(await readNow(first.id)).toMatchObject({ status: 'pending', changed_since: changes })
  expect(await decides(approver, shop, first)).toMatchObject({ body: { status: 'stale', changes } })
  expect(await payment.read()).toMatchObject({ refunded_amount: 5_00 })
})

test('a draft that is edited after the proposal is not published', async () => {
  const rules = '/flows/card-transaction/rules'
  const rule = {
    display_name: 'None',
    action: 'decline-early',
    condition: { field: 'metadata.x', operator: 'is', value: 'y' },
  }
  await shop.put(rules, { items: [rule] })
  expect((await shop.post(`${rules}/publish`)).status).toBe(403)
  const proposal = await proposed(shop, 'POST', `${rules}/publish`, {})
  await shop.put(rules, { items: [{ ...rule, display_name: 'All' }] })
  expect(await decides(approver, shop, proposal)).toMatchObject({
    body: { status: 'stale', changes: [{ member: 'draft_hash' }, { member: 'draft_updated_at' }] },
  })
})

test('a draft that is edited after the preconditions were checked, within the same millisecond, is not published', async () => {
  const rules = '/flows/card-transaction/rules'
  const rule = (display_name: string) => ({
    display_name,
    action: 'decline-early',
    condition: { field: 'metadata.x', operator: 'is', value: 'y' },
  })
  const key = { account: shop.account, flow: 'card-transaction' } as const
  await shop.put(rules, { items: [rule('Approved')] })
  const approvedPreconditions = await publicationPreconditions(world, key)
  const publish = () =>
    runAsRequest({ id: '', actor: undefined, approvedPreconditions }, () => publishRules(world, key, {}))
  const [{ updated_at } = { updated_at: '' }] = await world.run<{ updated_at: string }>(
    `select updated_at from flow_rulesets where merchant_account_id = $1 and state = 'draft'`,
    [shop.account],
  )
  await shop.put(rules, { items: [rule('Not approved')] })
  await world.run(
    `update flow_rulesets set updated_at = $2 where merchant_account_id = $1 and state = 'draft' returning 1 as one`,
    [shop.account, updated_at],
  )
  await expect(publish()).rejects.toMatchObject({ status: 409 })
})

test('a request that the operation refuses has failed, with its answer', async () => {
  const payment = await shop.sold(10_00)
  const proposal = await proposed(shop, 'POST', `/transactions/${payment.id}/refunds`, { amount: 10_01 })
  expect(await decides(approver, shop, proposal)).toMatchObject({
    body: { status: 'failed', result: { status_code: 400, error: { code: 'bad_request' } } },
  })
})

test('a requester who lost their rights proposes in vain', async () => {
  const colleague = await person(railyard, { merchantAccounts: [shop.account], roles: ['customer-support'] })
  const payment = await shop.sold(10_00)
  const body = { method: 'POST', path: `/transactions/${payment.id}/refunds`, body: {}, reason: 'Why not' }
  const proposal = (await colleague.send('POST', '/proposals', body, forAccount(shop))).body
  await railyard.admin.delete(`/users/${colleague.id}`)
  expect(await decides(approver, shop, proposal)).toMatchObject({ body: { status: 'failed' } })
  expect(await payment.refunds()).toEqual([])
})

test('secrets of a request are stored encrypted, shown masked, and erased when the proposal ends', async () => {
  const secret = 'not-for-approvers'
  const fields = [
    { key: 'client_id', value: 'client-2' },
    { key: 'client_secret', value: secret },
    { key: 'no_such_field', value: secret },
  ]
  const service = walletService({ fields })
  const proposal = await proposed(railyard.admin, 'POST', '/payment-services', service, forAccount(shop))
  expect(proposal.body).toEqual({
    ...service,
    fields: [
      { key: 'client_id', value: 'client-2' },
      { key: 'client_secret', value: '***' },
      { key: 'no_such_field', value: '***' },
    ],
  })
  const stored = async () => {
    const [row] = await world.run<{ text: string; body: Buffer | null }>(
      `select row_to_json(p)::text as text, body from proposals p where id = $1`,
      [proposal.id],
    )
    return row
  }
  expect((await stored())?.text).not.toContain(secret)
  expect((await stored())?.body).not.toBeNull()
  await decides(approver, shop, proposal, 'reject')
  expect((await stored())?.body).toBeNull()
  expect(railyard.logged.join()).not.toContain(secret)
})

test('approvers of a change see the fields that are not secret by the definition of the service', async () => {
  const { body: wallet } = await other.post('/payment-services', walletService())
  const { body: fraud } = await other.post('/anti-fraud-services', {
    anti_fraud_service_definition_id: 'mock-anti-fraud',
    display_name: 'Fraud',
    fields: [{ key: 'api_key', value: 'any' }],
  })
  await addPolicy(railyard, other, { operations: ['credentials'] })
  const shown = async (path: string, body: Record<string, unknown>) =>
    (await proposed(railyard.admin, 'PUT', path, body, forAccount(other))).body
  const secret = { key: 'client_secret', value: 'not-for-approvers' }
  const webhook = { key: 'webhook_id', value: 'WEBHOOK2' }
  expect(await shown(`/payment-services/${wallet.id}`, { fields: [webhook, secret] })).toEqual({
    fields: [webhook, { ...secret, value: '***' }],
  })
  expect(
    await shown(`/payment-services/${wallet.id}`, { reporting_fields: [{ key: 'user', value: 'hidden' }] }),
  ).toEqual({ reporting_fields: [{ key: 'user', value: '***' }] })
  const key = { key: 'api_key', value: 'not-for-approvers' }
  expect(await shown(`/anti-fraud-services/${fraud.id}`, { fields: [key] })).toEqual({
    fields: [{ ...key, value: '***' }],
  })
})
