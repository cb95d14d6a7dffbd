import { expect, test } from 'vitest'
import { softwareAuthenticator } from '../../../test/support/authenticator.ts'
import {
  addPolicy,
  approverFor,
  decides,
  forAccount,
  proposed,
} from '../../../test/support/domains/approvals.ts'
import { anonymously, PASSWORD, person, personOf, roleIds, signIn } from '../../../test/support/people.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { readSigner, signToken } from '../../accounts/api-keys/private-key.ts'
import type { World } from '../../world.ts'
import { eraseUntakenAnswers } from './take-answer.ts'

const DAY_MS = 86_400_000

const { railyard, shop } = await startShop()
railyard.world.publicUrl = railyard.url.replace('127.0.0.1', 'localhost')
const [ada, grace, joan] = await Promise.all([0, 1, 2].map(() => approverFor(railyard, shop)))
if (!ada || !grace || !joan) throw new Error('three people are needed')
await addPolicy(railyard, shop, { operations: ['void'], required_approvals: 2, open_for_hours: 2 })

const voidProposal = async (client: Parameters<typeof proposed>[0] = shop) => {
  const { id } = await shop.authorized(10_00)
  return proposed(client, 'POST', `/transactions/${id}/void`)
}
const asPerson = (who: typeof ada) => ({
  post: (path: string, body?: unknown) => who.send('POST', path, body, forAccount(shop)),
})
const forbidden = { status: 403, body: { code: 'forbidden' } }

test('each of two approvals is of another person', async () => {
  const proposal = await voidProposal()
  expect(await decides(ada, shop, proposal)).toMatchObject({ status: 200, body: { status: 'pending' } })
  expect(await decides(ada, shop, proposal)).toMatchObject(forbidden)
  expect(await decides(grace, shop, proposal)).toMatchObject({ body: { status: 'executed' } })
  expect(await decides(joan, shop, proposal)).toMatchObject({ status: 409 })
})

test('of many decisions at once, each is counted once', async () => {
  const proposal = await voidProposal()
  const answers = await Promise.all([ada, ada, ada, grace].map((who) => decides(who, shop, proposal)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  const { body } = await shop.get(`/proposals/${proposal.id}`)
  expect(body.status).toBe('executed')
  expect(body.decisions.map(({ user }: { user: { id: string } }) => user.id).sort()).toEqual(
    [ada.id, grace.id].sort(),
  )
})

test('an approval and a rejection at once have one result', async () => {
  const proposal = await voidProposal()
  await decides(ada, shop, proposal)
  await Promise.all([decides(grace, shop, proposal), decides(joan, shop, proposal, 'reject')])
  expect(['executed', 'rejected']).toContain((await shop.get(`/proposals/${proposal.id}`)).body.status)
})

test('nobody decides on their own proposal', async () => {
  const proposal = await voidProposal(asPerson(ada))
  expect(await decides(ada, shop, proposal)).toMatchObject({
    ...forbidden,
    body: { message: expect.stringContaining('yourself') },
  })
  expect(await decides(ada, shop, proposal, 'reject')).toMatchObject(forbidden)
})

test('nobody decides on what a key pair has proposed that they have made, changed, or made through another', async () => {
  const pair = (display_name: string) => ({ display_name, role_ids: roleIds('administrator') })
  const admin = await person(railyard)
  const changer = await person(railyard)
  const made = (await admin.send('POST', '/api-key-pairs', pair('Agent'))).body
  await changer.send('PUT', `/api-key-pairs/${made.id}`, { display_name: 'Agent 2' })
  const promoter = await person(railyard)
  await promoter.send('PUT', `/api-key-pairs/${made.id}`, {
    role_ids: roleIds('administrator', 'pii-viewer'),
  })
  const tokenOf = async (pem: string) =>
    signToken(
      await readSigner(pem),
      { scopes: ['*.read', '*.write'], expiresIn: 3_600 },
      railyard.clock.now(),
    )
  const by = async (pem: string) => {
    const authorization = `Bearer ${await tokenOf(pem)}`
    return {
      post: (path: string, body?: unknown) =>
        railyard.send('POST', path, {
          headers: { authorization, 'content-type': 'application/json', ...forAccount(shop) },
          body: JSON.stringify(body),
        }),
    }
  }
  const agent = await by(made.private_key)
  const child = (await agent.post('/api-key-pairs', pair('Child'))).body
  for (const client of [agent, await by(child.private_key)]) {
    const proposal = await voidProposal(client)
    expect(await decides(admin, shop, proposal)).toMatchObject(forbidden)
    expect(await decides(changer, shop, proposal)).toMatchObject(forbidden)
    expect(await decides(promoter, shop, proposal)).toMatchObject(forbidden)
    expect((await decides(ada, shop, proposal)).status).toBe(200)
  }
})

test('nobody decides as a person whom they have invited or given a role since the policy', async () => {
  const mallory = await person(railyard)
  // of people before the policy, its author knew
  await addPolicy(railyard, shop, { operations: ['refund'] })
  const by = { post: (path: string, body?: unknown) => mallory.send('POST', path, body) }
  const [sock, other] = [await person(railyard, { by }), await person(railyard, { by })]
  const promoted = await person(railyard, { roles: ['analyst'] })
  await mallory.send('PUT', `/users/${promoted.id}`, { role_ids: roleIds('administrator') })
  const again = await signIn(railyard, promoted.email)
  const { id } = await shop.sold(10_00)
  const refund = (client: Parameters<typeof proposed>[0]) =>
    proposed(client, 'POST', `/transactions/${id}/refunds`, { amount: 1_00 })
  const own = await refund(asPerson(mallory))
  for (const who of [sock, other, personOf(railyard, again)])
    expect(await decides(who, shop, own)).toMatchObject(forbidden)
  for (const who of [mallory, other])
    expect(await decides(who, shop, await refund(asPerson(sock)))).toMatchObject(forbidden)
  const read = await sock.get(`/proposals/${own.id}`, forAccount(shop))
  expect(read.body).toMatchObject({
    can_decide: false,
    cannot_decide_because: expect.stringContaining('made'),
  })
  expect((await decides(ada, shop, own)).status).toBe(200)
})

test('a person whose invitation others have approved decides', async () => {
  const boss = await person(railyard)
  const requester = await person(railyard)
  await addPolicy(railyard, shop, { operations: ['refund'] })
  const invitation = {
    email_address: 'approved@example.com',
    name: 'Approved',
    role_ids: roleIds('administrator'),
  }
  const proposal = await proposed(
    { post: (path, body) => requester.send('POST', path, body) },
    'POST',
    '/users',
    invitation,
  )
  await decides(boss, { account: 'default' }, proposal)
  const { body } = (await requester.send('POST', `/proposals/${proposal.id}/answer`)).body
  const token = body.invitation_url.split('/').at(-1)
  const accepted = await anonymously(railyard, 'POST', '/invitations/accept', { token, password: PASSWORD })
  const { id } = await shop.sold(10_00)
  const refund = await proposed(asPerson(requester), 'POST', `/transactions/${id}/refunds`, { amount: 1_00 })
  expect((await decides(personOf(railyard, accepted), shop, refund)).status).toBe(200)
})

test('a key pair cannot decide', async () => {
  const proposal = await voidProposal()
  const answer = await railyard.admin.post(
    `/proposals/${proposal.id}/approve`,
    { hash: proposal.hash, password: PASSWORD },
    forAccount(shop),
  )
  expect(answer).toMatchObject(forbidden)
})

test('a decision names what the person has seen, and proves who they are', async () => {
  const proposal = await voidProposal()
  expect(await decides(ada, shop, { ...proposal, hash: '0'.repeat(64) })).toMatchObject({ status: 409 })
  expect(await decides(ada, shop, proposal, 'approve', { password: 'wrong' })).toMatchObject({ status: 400 })
  expect(await decides(ada, shop, proposal, 'approve', { password: undefined })).toMatchObject({
    status: 400,
  })
  expect((await shop.get(`/proposals/${proposal.id}`)).body.decisions).toEqual([])
})

test('a passkey signs one proposal, also of two with the same request', async () => {
  const origin = railyard.world.publicUrl
  const authenticator = softwareAuthenticator(origin)
  const options = await joan.send('POST', '/users/me/passkeys/options', { password: PASSWORD })
  await joan.send('POST', '/users/me/passkeys', {
    name: 'Key',
    credential: authenticator.create(options.body.options),
  })
  const [one, other] = [await voidProposal(), await voidProposal()]
  const signed = async (proposal: { id: string }) => {
    const asked = await joan.send(
      'POST',
      `/proposals/${proposal.id}/passkey-options`,
      undefined,
      forAccount(shop),
    )
    return { password: undefined, credential: authenticator.get(asked.body.options) }
  }
  expect(await decides(joan, shop, other, 'approve', await signed(one))).toMatchObject({ status: 400 })
  const twin = await proposed(shop, 'POST', one.path)
  expect(twin.hash).toBe(one.hash)
  expect(await decides(joan, shop, twin, 'approve', await signed(one))).toMatchObject({ status: 400 })
  const proof = await signed(one)
  expect(await decides(joan, shop, one, 'approve', proof)).toMatchObject({ status: 200 })
  expect(await decides(joan, shop, other, 'approve', proof)).toMatchObject({ status: 400 })
  // a challenge that was given without the password adds no passkey
  const asked = await joan.send('POST', `/proposals/${other.id}/passkey-options`, undefined, forAccount(shop))
  const added = await joan.send('POST', '/users/me/passkeys', {
    name: 'Stolen',
    credential: softwareAuthenticator(origin).create({
      ...options.body.options,
      challenge: asked.body.options.challenge,
    }),
  })
  expect(added.status).toBe(400)
})

test('people that no policy names cannot decide', async () => {
  await addPolicy(railyard, shop, { operations: ['capture'], approver_user_ids: [grace.id] })
  const { id } = await shop.authorized(10_00)
  const proposal = await proposed(shop, 'POST', `/transactions/${id}/capture`, {})
  expect(await decides(ada, shop, proposal)).toMatchObject(forbidden)
  expect(await decides(grace, shop, proposal)).toMatchObject({ body: { status: 'executed' } })
})

test('a proposal that nobody has decided expires', async () => {
  const proposal = await voidProposal()
  railyard.clock.advance(2 * 3_600_000)
  const approver = await approverFor(railyard, shop)
  expect(await decides(approver, shop, proposal)).toMatchObject({ status: 409 })
  await railyard.proposals.runOnce()
  expect((await railyard.admin.get(`/proposals/${proposal.id}`, forAccount(shop))).body.status).toBe(
    'expired',
  )
})

test('a proposal is withdrawn by its requester alone', async () => {
  const proposal = await voidProposal()
  expect(
    await railyard.admin.post(`/proposals/${proposal.id}/withdraw`, undefined, forAccount(shop)),
  ).toMatchObject(forbidden)
  expect(await shop.post(`/proposals/${proposal.id}/withdraw`)).toMatchObject({
    body: { status: 'withdrawn' },
  })
})

test('one administrator cannot switch a policy off', async () => {
  const { items } = (await shop.get('/approval-policies')).body
  const path = `/approval-policies/${items[0].id}`
  for (const answer of [await shop.put(path, { active: false }), await shop.delete(path)])
    expect(answer).toMatchObject({ status: 403, body: { code: 'approval_required' } })
})

test('a client cannot make its request look like that of a proposal', async () => {
  const { id } = await shop.authorized(10_00)
  for (const value of ['1', 'true', id, '00000000-0000-0000-0000-000000000000'])
    expect(
      await shop.post(`/transactions/${id}/void`, undefined, { 'x-railyard-inner-request': value }),
    ).toMatchObject({
      status: 403,
      body: { code: 'approval_required' },
    })
})

test('what belongs to the instance is proposed where its policies are', async () => {
  const user = { email_address: 'sock@example.com', name: 'Sock', role_ids: roleIds('administrator') }
  const answer = await railyard.admin.post(
    '/proposals',
    { method: 'POST', path: '/users', body: user, reason: 'A second me' },
    forAccount(shop),
  )
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('default') } })
})

test('the link of an invitation that was proposed is taken once, by its requester', async () => {
  const user = { email_address: 'new@example.com', name: 'New', role_ids: roleIds('analyst') }
  const boss = await person(railyard)
  const proposal = await proposed(railyard.admin, 'POST', '/users', user)
  const executed = await decides(boss, { account: 'default' }, proposal)
  expect(executed).toMatchObject({ body: { status: 'executed', answer_available: true } })
  expect(JSON.stringify(executed.body)).not.toContain('/invitations/')
  const path = `/proposals/${proposal.id}/answer`
  expect((await boss.send('POST', path)).status).toBe(404)
  expect(await railyard.admin.post(path)).toMatchObject({
    status: 200,
    body: { status_code: 201, body: { invitation_url: expect.stringContaining('/invitations/') } },
  })
  expect((await railyard.admin.post(path)).status).toBe(404)
})

test('the link of an invitation that nobody takes is erased after a day', async () => {
  const user = { email_address: 'late@example.com', name: 'Late', role_ids: roleIds('analyst') }
  const boss = await person(railyard)
  const proposal = await proposed(railyard.admin, 'POST', '/users', user)
  await decides(boss, { account: 'default' }, proposal)
  const { world } = railyard
  const at = (ms: number): World => ({
    ...world,
    clock: { ...world.clock, now: () => world.clock.now() + ms },
  })
  const isThere = async () =>
    (await world.run('select answer from proposals where id = $1 and answer is not null', [proposal.id]))
      .length
  await eraseUntakenAnswers(at(DAY_MS - 60_000))
  expect(await isThere()).toBe(1)
  await eraseUntakenAnswers(at(DAY_MS + 60_000))
  expect(await isThere()).toBe(0)
  expect((await railyard.admin.post(`/proposals/${proposal.id}/answer`)).status).toBe(404)
})

test('proposals that are sent again under one idempotency key are one', async () => {
  const { id } = await shop.authorized(10_00)
  const key = { 'idempotency-key': id }
  const path = `/transactions/${id}/void`
  const all = await Promise.all([0, 1, 2].map(() => proposed(shop, 'POST', path, undefined, key)))
  expect(new Set(all.map((each) => each.id)).size).toBe(1)
  const other = { method: 'POST', path: `/transactions/${id}/capture`, body: {}, reason: 'Other' }
  expect(await shop.post('/proposals', other, key)).toMatchObject({
    status: 409,
    body: { resource_id: all[0]?.id },
  })
})

test.each([
  {
    what: 'an operation that never needs approval',
    request: { method: 'POST', path: '/buyers', body: {} },
    status: 400,
  },
  {
    what: 'a correction that moves no money',
    request: { method: 'PUT', path: '/transactions/{id}', body: { metadata: {} } },
    status: 400,
  },
  {
    what: 'a public operation',
    request: { method: 'POST', path: '/sessions', body: { email_address: 'a@b.de', password: 'x' } },
    status: 400,
  },
  {
    what: 'a body of the wrong shape',
    request: { method: 'POST', path: '/transactions/{id}/refunds', body: { amount: 'x' } },
    status: 422,
  },
  {
    what: 'a transaction that is missing',
    request: { method: 'POST', path: `/transactions/018f0000-0000-7000-8000-000000000000/void` },
    status: 404,
  },
  { what: 'a query', request: { method: 'POST', path: '/transactions/{id}/void?x=1' }, status: 422 },
])('$what is not proposed', async ({ request, status }) => {
  const { id } = await shop.authorized(10_00)
  const answer = await shop.post('/proposals', {
    ...request,
    path: request.path.replace('{id}', id),
    reason: 'Try',
  })
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
})
