import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { delegatePaymentPath, openPlatform } from '../../../test/support/domains/delegated-payments.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const platform = openPlatform(railyard, merchant)

const rejected = (param: string) => ({
  status: 422,
  body: { type: 'invalid_request', code: 'invalid_card', param },
})

test('a platform delegates a card and gets a token, with the metadata that it sent', async () => {
  expect(
    platform.contract.request({
      method: 'POST',
      path: delegatePaymentPath,
      headers: {
        authorization: 'Bearer x',
        'content-type': 'application/json',
        'idempotency-key': 'k',
        'api-version': '2026-04-17',
      },
      body: platform.bodyOf(),
    }),
  ).toEqual([])
  const answer = await platform.delegate({}, { 'request-id': 'req_1' })
  expect(answer).toMatchObject({ status: 201, body: { metadata: { campaign: 'q4' } } })
  expect(answer.body.id).toMatch(/^vt_[0-9a-f-]{36}$/)
  expect(answer.headers.get('request-id')).toBe('req_1')
  expect(answer.headers.get('idempotent-replayed')).toBeNull()
})

test('a request that is sent again gets the same token, and one with another body is refused', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const delegation = { allowance: { expires_at: new Date(railyard.clock.now() + 600_000).toISOString() } }
  const answers = await Promise.all(Array.from({ length: 20 }, () => platform.delegate(delegation, headers)))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter((each) => each.headers.get('idempotent-replayed') === 'true')).toHaveLength(19)
  expect(await platform.delegate({ allowance: { max_amount: 1 } }, headers)).toMatchObject({
    status: 422,
    body: { type: 'invalid_request', code: 'idempotency_conflict' },
  })
})

test('the key of one platform is not that of another of the same merchant', async () => {
  const other = await railyard.client({ account: merchant.account, merchantAccountIds: [merchant.account] })
  const headers = { 'idempotency-key': randomUUID() }
  const first = await platform.delegate({}, headers)
  const second = await openPlatform(railyard, other).delegate({ allowance: { max_amount: 5_00 } }, headers)
  expect(second.status).toBe(201)
  expect(second.body.id).not.toBe(first.body.id)
})

test('a request without an idempotency key, or for an unknown version or time, is a 400', async () => {
  const send = (headers: Record<string, string>) =>
    merchant.post(delegatePaymentPath, platform.bodyOf(), headers)
  expect(await send({ 'api-version': '2026-04-17' })).toMatchObject({
    status: 400,
    body: { type: 'invalid_request', code: 'idempotency_key_required' },
  })
  for (const headers of [{}, { 'api-version': '2020-01-01' }])
    expect(await send({ 'idempotency-key': randomUUID(), ...headers })).toMatchObject({
      status: 400,
      body: { type: 'invalid_request', message: expect.stringContaining('api-version') },
    })
  const late = new Date(railyard.clock.now() - 301_000).toISOString()
  expect(await platform.delegate({}, { timestamp: late })).toMatchObject({
    status: 400,
    body: { message: 'The header timestamp is more than five minutes from now' },
  })
})

test('what cannot pay is refused, and the answer names the member by its JSONPath', async () => {
  const soon = (ms: number) => new Date(railyard.clock.now() + ms).toISOString()
  const wrong = {
    '$.payment_method.number': { payment_method: { number: '4111111111111112' } },
    '$.payment_method.exp_year': { payment_method: { exp_year: '2020' } },
    '$.allowance.merchant_id': { allowance: { merchant_id: 'another' } },
    '$.allowance.currency': { allowance: { currency: 'xyz' } },
    '$.allowance.expires_at': { allowance: { expires_at: soon(-1) } },
  }
  for (const [param, delegation] of Object.entries(wrong))
    expect(await platform.delegate(delegation)).toMatchObject(rejected(param))
  expect(await platform.delegate({ allowance: { expires_at: soon(8 * 86_400_000) } })).toMatchObject(
    rejected('$.allowance.expires_at'),
  )
  expect(await platform.delegate({ allowance: { reason: 'always' } })).toMatchObject({
    status: 400,
    body: { code: 'invalid_card', param: '$.allowance.reason' },
  })
})

test('a caller without the scope, and one without a token, are refused in the shape of the protocol', async () => {
  const reader = await railyard.client({ account: merchant.account, scopes: ['transactions.write'] })
  const headers = { 'idempotency-key': randomUUID(), 'api-version': '2026-04-17' }
  expect(await reader.post(delegatePaymentPath, platform.bodyOf(), headers)).toMatchObject({
    status: 403,
    body: { type: 'invalid_request', code: 'forbidden' },
  })
  expect(
    await railyard.send('POST', delegatePaymentPath, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(platform.bodyOf()),
    }),
  ).toMatchObject({ status: 401, body: { type: 'invalid_request', code: 'unauthorized' } })
})

test('no error, and no line of the log, repeats a card number or a security code', async () => {
  const number = '4242424242424242'
  const attempts = [
    { payment_method: { number: '4242424242424241' } },
    { payment_method: { number, exp_month: number } },
    { payment_method: { number, [number]: 'x' } },
    { payment_method: { number, name: { [number]: number } } },
    { allowance: { currency: number, merchant_id: number } },
    { more: { metadata: { [number]: 7 }, [number]: number } },
    { payment_method: { cvc: `${number}` } },
  ]
  for (const delegation of attempts) {
    const { status, body } = await platform.delegate(delegation)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(body)).not.toMatch(/\d{12}/)
  }
  const broken = await railyard.send('POST', delegatePaymentPath, {
    headers: { authorization: `Bearer ${merchant.token}`, 'content-type': 'application/json' },
    body: `{"payment_method": {"number": "${number}"`,
  })
  expect(broken).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  expect(JSON.stringify(broken.body)).not.toContain(number)
  expect(railyard.logged.join('\n')).not.toContain(number)
})
