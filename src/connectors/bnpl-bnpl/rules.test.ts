import { expect, test } from 'vitest'
import { bnplService, openBnplShop, startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { connectors } from '../registry.ts'

const { railyard, shop, wire } = await startBnplShop()

const options = (bnpl: Record<string, unknown>) => ({ connection_options: { 'bnpl-bnpl': bnpl } })
const subscription = { name: 'Box', interval: 'MONTH', interval_count: 1, reference: 'box-1' }

test.each([
  ['partial authorization', { allow_partial_authorization: true }, '/payment_service_id'],
  ['token-only mode', options({ token_only_mode: true }), '/connection_options/bnpl-bnpl/token_only_mode'],
  ['a subscription', options({ subscription }), '/connection_options/bnpl-bnpl/subscription'],
  [
    'an empty token',
    options({ authorization_token: '' }),
    '/connection_options/bnpl-bnpl/authorization_token',
  ],
  [
    'a token of any length',
    options({ authorization_token: 'x'.repeat(1001) }),
    '/connection_options/bnpl-bnpl/authorization_token',
  ],
  [
    'a buyer’s time beyond the session’s',
    { approval_expires_at: '2999-01-01T00:00:00Z' },
    '/approval_expires_at',
  ],
])('%s is refused before anything is written or sent', async (_what, more, pointer) => {
  const calls = wire.calls
  expect(await shop.buy(50_00, { payment_service_id: shop.serviceId, ...more })).toMatchObject(
    invalidFields(pointer),
  )
  expect(wire.calls).toBe(calls)
})

test('a zero amount cannot be verified with this method', async () => {
  expect(await shop.buy(0, { payment_service_id: shop.serviceId })).toMatchObject(
    invalidFields('/payment_service_id'),
  )
})

const create = (more: Record<string, unknown>) =>
  railyard.admin.post('/payment-services', bnplService(more), { 'x-svc-merchant-account-id': shop.account })

test('3-D Secure cannot be switched on', async () => {
  expect(await create({ three_d_secure_enabled: true })).toMatchObject(
    invalidFields('/three_d_secure_enabled'),
  )
})

test('a service needs its credentials and its environment', async () => {
  expect(await create({ fields: [{ key: 'username', value: 'K123' }] })).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/fields' }] },
  })
})

test('no response has the service’s password', async () => {
  const { body } = await shop.get(`/payment-services/${shop.serviceId}`)
  expect(body.fields.map(({ key }: { key: string }) => key).sort()).toEqual([
    'client_id',
    'environment',
    'username',
  ])
})

const verify = (password: string) => {
  const fields = bnplService().fields.map((field) =>
    field.key === 'password' ? { key: 'password', value: password } : field,
  )
  return shop.post('/payment-services/verify', { payment_service_definition_id: 'bnpl-bnpl', fields })
}

test('credentials are verified with the provider', async () => {
  expect(await verify('sharedSecret')).toMatchObject({ status: 200 })
  expect(await verify('invalid')).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
})

test('a payment through a service with wrong credentials fails with the reason', async () => {
  const other = await openBnplShop(railyard, {
    fields: bnplService().fields.map((field) =>
      field.key === 'password' ? { key: 'password', value: 'invalid' } : field,
    ),
  })
  expect(await other.buy(50_00)).toMatchObject({
    status: 201,
    body: { status: 'authorization_failed', error_code: 'invalid_service_credentials' },
  })
})

test('the simulator can be chosen in the sandbox only, and live accounts in production only', () => {
  const environments = (sandboxUrl: string | undefined) =>
    connectors({ sandboxUrl, clock: railyard.clock })
      .get('bnpl-bnpl')
      ?.definition.fields.find(({ key }) => key === 'environment')?.values
  expect(environments('http://localhost:1')).toEqual(['simulator', 'sandbox'])
  expect(environments(undefined)).toEqual(['sandbox', 'production'])
})
