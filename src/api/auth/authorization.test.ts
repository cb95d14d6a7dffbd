import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { payment, requestsWithTokens } from '../../../test/support/authentication.ts'
import { roleIds } from '../../../test/support/roles.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'
import { readSigner } from '../../accounts/api-keys/private-key.ts'
import { roles } from '../../accounts/roles/role.ts'
import { scopeProblem } from './scopes.ts'

const railyard = await startRailyardForFile()
const { withToken } = requestsWithTokens(railyard)

describe('scopes', () => {
  const read = () => ['GET', '/payment-services'] as const
  const write = () => ['POST', '/payment-services', '{}'] as const
  /** Whether the scopes open the operation: any other answer than 403. */
  const opens = async (
    scopes: string[],
    [method, path, body]: readonly [string, string, string?],
    roleIds = ['administrator'],
  ) => {
    const { token } = await railyard.client({ account: 'default', scopes, roleIds })
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const { status, body: answer } = await railyard.send(method, path, { headers, ...(body && { body }) })
    if (status === 403)
      expect(answer).toMatchObject({ type: 'error', code: 'forbidden', status: 403, details: [] })
    return status !== 403
  }

  test.each([
    [['payment-services.read'], true, false],
    [['payment-services.write'], false, true],
    [['*.read'], true, false],
    [['*.write'], false, true],
    [['*.read', '*.write'], true, true],
    [['payment-service-definitions.read', 'transactions.write'], false, false],
    [['embed'], false, false],
    [
      [
        '*',
        'payment-services.*',
        'payment-services',
        'PAYMENT-SERVICES.READ',
        ' payment-services.read',
        'read',
      ],
      false,
      false,
    ],
    [[], false, false],
  ])('%j read payment services: %s, and write them: %s', async (scopes, reads, writes) => {
    expect([await opens(scopes, read()), await opens(scopes, write())]).toEqual([reads, writes])
  })

  test('of the token open no more than the roles of its key', async () => {
    expect(await opens(['*.read', '*.write'], read(), ['processing'])).toBe(true)
    expect(await opens(['*.read', '*.write'], write(), ['processing'])).toBe(false)
    expect(await opens(['*.read', '*.write'], read(), ['no-such-role'])).toBe(false)
    expect(await opens(['*.read', '*.write'], read(), [])).toBe(false)
  })

  test('for a refund of everything are two, and both are needed', async () => {
    const path = '/transactions/00000000-0000-7000-8000-000000000000/refunds/all'
    expect(await opens(['transactions.write'], ['POST', path])).toBe(false)
    expect(await opens(['gift-cards.write'], ['POST', path])).toBe(false)
    expect(await opens(['transactions.write', 'gift-cards.write'], ['POST', path])).toBe(true)
  })

  test('have a form and resources that the command line checks', async () => {
    for (const scope of [
      '*.read',
      'transactions.write',
      'buyers.billing-details.read',
      'sessions.refresh',
      'embed',
    ])
      expect(scopeProblem(scope)).toBeUndefined()
    for (const scope of [
      '*',
      'transactions',
      'Transactions.read',
      '.read',
      'transactions.delete',
      'transaction.write',
      'money.read',
      '',
    ])
      expect(scopeProblem(scope)).toMatch(/^is not a scope/)
    expect(scopeProblem('transaction.write')).toBe('is not a scope: did you mean transactions.write?')
    const document = (await railyard.send('GET', '/openapi.json')).body
    const operations = Object.values<Record<string, { 'x-scopes'?: string[] }>>(document.paths).flatMap(
      (path) => Object.values(path),
    )
    const used = [
      ...operations.flatMap((operation) => operation['x-scopes'] ?? []),
      ...roles.flatMap(({ scopes }) => scopes),
    ]
    expect(used.filter((scope) => scopeProblem(scope))).toEqual([])
  })
})

describe('the merchant account', () => {
  const accountOf = async (
    merchant: {
      post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<{ body: unknown }>
    },
    header = '',
  ) =>
    (await merchant.post('/transactions', payment, { 'x-svc-merchant-account-id': header })).body as Record<
      string,
      unknown
    >

  test('is `default` if the header is missing or empty', async () => {
    expect(await accountOf(railyard.admin)).toMatchObject({ merchant_account_id: 'default' })
    const { token } = railyard.admin
    expect((await withToken(token)).status).toBe(200)
  })

  test('is the only one of a limited key if the header is missing', async () => {
    const merchant = await railyard.merchant()
    expect(await accountOf(merchant)).toMatchObject({ merchant_account_id: merchant.account })
  })

  test('is chosen by the header among those that the key may act on', async () => {
    const [first, second, third] = [
      await railyard.merchant(),
      await railyard.merchant(),
      await railyard.merchant(),
    ]
    const both = await railyard.client({
      account: first.account,
      merchantAccountIds: [first.account, second.account],
    })
    expect(await accountOf(both, first.account)).toMatchObject({ merchant_account_id: first.account })
    expect(await accountOf(both, second.account)).toMatchObject({ merchant_account_id: second.account })
    const refusal = {
      status: 403,
      body: { code: 'forbidden', message: 'The merchant account does not exist or you may not act on it' },
    }
    const list = (account: string) => both.get('/transactions', { 'x-svc-merchant-account-id': account })
    for (const account of [third.account, 'default', 'no-such-account', ''])
      expect(await list(account)).toMatchObject(refusal)
  })

  test.each([
    'no-such-account',
    'DEFAULT',
    ' ',
    '../default',
    "default' or '1'='1",
    'default, default',
    'é',
    '%',
    'x'.repeat(8_000),
  ])('that does not exist (%s) is refused, also for a key without limits', async (account) => {
    const header = account.trim() === '' ? '%20' : account
    expect((await railyard.admin.get('/transactions', { 'x-svc-merchant-account-id': header })).status).toBe(
      403,
    )
  })

  test.each([
    'X-Merchant-Account-Id',
    'merchant-account-id',
    'x-svc-merchant_account_id',
    'x_svc_merchant_account_id',
    'svc-merchant-account-id',
    'x-gateway-merchant-account-id',
  ])('is not read from the header %s: that is a 400 which names the right header', async (header) => {
    const details = [
      {
        location: 'header',
        pointer: header.toLowerCase(),
        message: 'is not read: the merchant account is named by x-svc-merchant-account-id',
      },
    ]
    const { signer } = await railyard.merchant()
    const bearer = {
      authorization: `Bearer ${await signed(signer, goodClaims())}`,
      'content-type': 'application/json',
    }
    const answer = await railyard.send('POST', '/transactions', {
      headers: { ...bearer, [header]: 'default' },
      body: JSON.stringify(payment),
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request', details } })
    expect(
      (await withToken(railyard.admin.token, '/transactions', { 'X-SVC-Merchant-Account-ID': 'default' }))
        .status,
    ).toBe(200)
  })

  test.each(['x-svc-merchant-account-id', 'Idempotency-Key', 'AUTHORIZATION'])(
    'is not guessed if the header %s is sent twice: that is a 400',
    async (name) => {
      const value = name === 'AUTHORIZATION' ? `Bearer ${railyard.admin.token}` : 'default'
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const { hostname, port } = new URL(railyard.url)
      const headers = [
        ...(name === 'AUTHORIZATION' ? [] : ['authorization', `Bearer ${railyard.admin.token}`]),
        name,
        value,
        name.toLowerCase(),
        value,
        'host',
        'x',
      ]
      request({ hostname, port, path: '/transactions', headers }, (answer) =>
        resolve(answer.resume().statusCode ?? 0),
      )
        .on('error', reject)
        .end()
      expect(await promise).toBe(400)
    },
  )

  test('must be named in each request of a key pair with merchant_account_required', async () => {
    const [first, second] = [await railyard.merchant(), await railyard.merchant()]
    const pair = {
      display_name: 'Both',
      role_ids: roleIds('processing'),
      merchant_account_ids: [first.account, second.account],
      merchant_account_required: true,
    }
    const { id, private_key, merchant_account_required } = (await railyard.admin.post('/api-key-pairs', pair))
      .body
    expect(merchant_account_required).toBe(true)
    const signer = await readSigner(private_key)
    const pay = async (account?: string, claims = {}) => {
      const headers = {
        authorization: `Bearer ${await signed(signer, goodClaims(claims))}`,
        'content-type': 'application/json',
      }
      const named = account === undefined ? headers : { ...headers, 'x-svc-merchant-account-id': account }
      return railyard.send('POST', '/transactions', { headers: named, body: JSON.stringify(payment) })
    }
    const details = [
      {
        location: 'header',
        pointer: 'x-svc-merchant-account-id',
        message: 'is required: the key pair may act on several merchant accounts',
      },
    ]
    for (const account of [undefined, ''])
      expect(await pay(account)).toMatchObject({ status: 400, body: { code: 'bad_request', details } })
    expect(await pay(second.account)).toMatchObject({
      status: 201,
      body: { merchant_account_id: second.account },
    })
    const update = (more: object) => railyard.admin.put(`/api-key-pairs/${id}`, more)
    expect((await update({ merchant_account_ids: [first.account] })).body.merchant_account_required).toBe(
      true,
    )
    expect(await pay()).toMatchObject({ status: 201, body: { merchant_account_id: first.account } })
    expect(
      (await update({ merchant_account_ids: [], merchant_account_required: false })).body
        .merchant_account_required,
    ).toBe(false)
    expect(await pay()).toMatchObject({ status: 201, body: { merchant_account_id: 'default' } })
    await update({ merchant_account_required: true })
    expect((await pay()).status).toBe(400)
  })

  test('keeps its transactions from other merchants', async () => {
    const [owner, stranger] = [await railyard.merchant(), await railyard.merchant()]
    const { body } = await owner.post('/transactions', payment)
    expect((await owner.get(`/transactions/${body.id}`)).status).toBe(200)
    expect(await stranger.get(`/transactions/${body.id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })
})
