import { describe, expect, test } from 'vitest'
import { walletFields, walletService } from '../../../test/support/domains/wallet.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { connectors } from '../registry.ts'
import { LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'

const railyard = await startRailyardForFile()

const fieldsOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }))
const verify = (fields: Record<string, string>) =>
  railyard.admin.post('/payment-services/verify', {
    payment_service_definition_id: 'wallet-wallet',
    fields: fieldsOf({ ...walletFields, ...fields }),
  })

describe('a wallet account', () => {
  test('is shown without its secret', async () => {
    const { status, body } = await railyard.admin.post('/payment-services', walletService())
    expect(status).toBe(201)
    expect(body.fields).toEqual(
      fieldsOf({ client_id: 'client-1', environment: 'simulator', webhook_id: 'WEBHOOK1' }),
    )
    expect(JSON.stringify(body)).not.toContain('secret-1')
  })

  test.each([
    ['moon', 'environment must be one of simulator, sandbox'],
    ['constructor', 'environment must be one of simulator, sandbox'],
    ['production', `environment must be one of simulator, sandbox: ${LIVE_CREDENTIALS_MESSAGE}`],
  ])(
    'is not in the environment %s, neither when it is made, changed nor verified',
    async (environment, message) => {
      const fields = fieldsOf({ ...walletFields, environment })
      const refused = { status: 400, body: { details: [{ pointer: '/fields/2/value', message }] } }
      expect(await railyard.admin.post('/payment-services', walletService({ fields }))).toMatchObject(refused)
      const { id } = (await railyard.admin.post('/payment-services', walletService())).body
      expect(await railyard.admin.put(`/payment-services/${id}`, { fields })).toMatchObject(refused)
      expect(await verify({ environment })).toMatchObject(refused)
    },
  )

  test('accepts only currencies that the wallet supports', async () => {
    expect(
      await railyard.admin.post('/payment-services', walletService({ accepted_currencies: ['EUR', 'ISK'] })),
    ).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/accepted_currencies/1' }] },
    })
  })

  test('is verified by asking for a token', async () => {
    expect(await verify({})).toMatchObject({ status: 200 })
    expect(await verify({ client_secret: 'invalid' })).toMatchObject({ status: 400 })
  })
})

test('the simulator can be configured in the sandbox only, and live accounts in production only', () => {
  const environments = (sandboxUrl: string | undefined) =>
    connectors({ sandboxUrl, clock: { now: () => 0 } })
      .get('wallet-wallet')
      ?.definition.fields.find(({ key }) => key === 'environment')?.values
  expect(environments('http://127.0.0.1:1')).toEqual(['simulator', 'sandbox'])
  expect(environments(undefined)).toEqual(['sandbox', 'production'])
})
