import { expect, test } from 'vitest'
import { approverFor, decides, forAccount, proposed } from '../../test/support/domains/approvals.ts'
import { person, roleIds } from '../../test/support/people.ts'
import { booksOf } from '../../test/support/provider.ts'
import type { Answer } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { readSigner, signToken } from '../accounts/api-keys/private-key.ts'

const { railyard, shop } = await startShop()
const header = forAccount(shop)

const limitOf = (type: 'api-key-pair' | 'user', id: string, more: object = {}) =>
  shop.post('/spending-limits', {
    subject: { type, id },
    operation: 'refund',
    currency: 'EUR',
    per_day: 10_00,
    ...more,
  })

const refused = { status: 403, body: { code: 'forbidden', message: expect.stringContaining('/proposals') } }
const newPair = { display_name: 'Without limits', role_ids: roleIds('processing') }
const newPerson = {
  email_address: 'trillian@example.com',
  name: 'Trillian',
  role_ids: roleIds('customer-support'),
  merchant_account_ids: [shop.account],
}

test('a key pair with a limit cannot make, change or delete key pairs and people', async () => {
  const agent = await railyard.client({ account: shop.account, merchantAccountIds: [shop.account] })
  const before = await agent.post('/api-key-pairs', { ...newPair, merchant_account_ids: [shop.account] })
  expect(before).toMatchObject({ status: 201 })
  expect(await limitOf('api-key-pair', agent.keyId)).toMatchObject({ status: 201 })
  expect(await agent.post('/api-key-pairs', newPair)).toMatchObject(refused)
  expect(await agent.put(`/api-key-pairs/${before.body.id}`, { active: false })).toMatchObject(refused)
  expect(await agent.put(`/api-key-pairs/${agent.keyId}`, { display_name: 'Me' })).toMatchObject(refused)
  expect(await agent.delete(`/api-key-pairs/${before.body.id}`)).toMatchObject(refused)
  expect(await agent.post('/users', newPerson)).toMatchObject(refused)
  const other = await person(railyard, { merchantAccounts: [shop.account], roles: ['customer-support'] })
  expect(await agent.put(`/users/${other.id}`, { role_ids: roleIds('administrator') })).toMatchObject(refused)
  expect(await agent.post(`/users/${other.id}/invitation`)).toMatchObject(refused)
  expect(await agent.delete(`/users/${other.id}`)).toMatchObject(refused)
  expect(await agent.get('/api-key-pairs')).toMatchObject({ status: 200 })
})

test('a person refunds up to their limit, and cannot make a key pair without it', async () => {
  const administrator = await approverFor(railyard, shop)
  expect(await limitOf('user', administrator.id)).toMatchObject({ status: 201 })
  const payment = await shop.sold(100_00)
  const refund = (amount: number) =>
    administrator.send('POST', `/transactions/${payment.id}/refunds`, { amount }, header)
  expect(await refund(10_01)).toMatchObject({ status: 403, body: { code: 'spending_limit_exceeded' } })
  expect(await refund(10_00)).toMatchObject({ status: 201 })
  expect(await refund(1)).toMatchObject({ status: 403, body: { code: 'spending_limit_exceeded' } })
  expect(await administrator.get('/spending-limits/mine', header)).toMatchObject({
    body: { items: [{ subject: { type: 'user' }, today: { used: 10_00, remaining: 0, count: 1 } }] },
  })
  expect(await administrator.send('POST', '/api-key-pairs', newPair)).toMatchObject(refused)
  expect(await administrator.send('POST', '/users', newPerson)).toMatchObject(refused)
})

/** Sends requests with the private key of the answer that made a key pair. */
const sendAs =
  ({ body: { private_key } }: Answer) =>
  async (method: string, path: string, body?: unknown) => {
    const claims = { scopes: ['*.read', '*.write'], expiresIn: 3_600 }
    const token = await signToken(await readSigner(private_key), claims, railyard.clock.now())
    return railyard.send(method, path, {
      headers: {
        authorization: `Bearer ${token}`,
        ...header,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

test('a caller with a limit sets no limits, nor does a key pair of a key pair that they have made', async () => {
  const administrator = await person(railyard)
  const pair = { display_name: 'Pair', role_ids: roleIds('administrator') }
  const made = await administrator.send('POST', '/api-key-pairs', pair)
  const grandchild = sendAs(await sendAs(made)('POST', '/api-key-pairs', pair))
  const own = `/spending-limits/${(await limitOf('user', administrator.id)).body.id}`
  const ofMade = `/spending-limits/${(await limitOf('api-key-pair', made.body.id)).body.id}`
  expect(await administrator.send('PUT', ofMade, { per_day: 99_00 }, header)).toMatchObject(refused)
  const forbidden = { status: 403, body: { code: 'forbidden' } }
  expect(await grandchild('PUT', own, { per_day: 99_00 })).toMatchObject(forbidden)
  expect(await grandchild('DELETE', own)).toMatchObject(forbidden)
  expect((await shop.get(own)).body.per_day).toBe(10_00)
})

test('an approved proposal of a person with a limit makes a key pair', async () => {
  const requester = await person(railyard)
  expect(await limitOf('user', requester.id)).toMatchObject({ status: 201 })
  expect(await requester.send('POST', '/api-key-pairs', newPair)).toMatchObject(refused)
  const proposal = await proposed(
    { post: (path, body) => requester.send('POST', path, body) },
    'POST',
    '/api-key-pairs',
    newPair,
  )
  const account = proposal.merchant_account_id
  expect(await decides(await person(railyard), { account }, proposal)).toMatchObject({ status: 200 })
  await railyard.proposals.runOnce()
  expect(
    await railyard.admin.get(`/proposals/${proposal.id}`, { 'x-svc-merchant-account-id': account }),
  ).toMatchObject({ body: { status: 'executed' } })
})

test('an approved proposal refunds beyond the limit, once, and does not count', async () => {
  const agent = await railyard.client({ account: shop.account, merchantAccountIds: [shop.account] })
  const limit = await limitOf('api-key-pair', agent.keyId)
  const payment = await shop.sold(200_00)
  const path = `/transactions/${payment.id}/refunds`
  expect(await agent.post(path, { amount: 77_77 })).toMatchObject({ status: 403 })
  const approver = await approverFor(railyard, shop)
  const proposal = await proposed(agent, 'POST', path, { amount: 77_77 })
  expect(await decides(approver, shop, proposal)).toMatchObject({ status: 200 })
  await railyard.proposals.runOnce()
  expect(await shop.get(`/proposals/${proposal.id}`)).toMatchObject({ body: { status: 'executed' } })
  const { operations } = await booksOf(railyard)
  expect(operations.filter(({ kind, amount }) => kind === 'refund' && amount === 77_77)).toHaveLength(1)
  expect((await shop.get(`/spending-limits/${limit.body.id}`)).body.today).toMatchObject({
    used: 0,
    count: 0,
  })
})
