import { afterEach, expect, test } from 'vitest'
import { bnplService } from '../../test/support/domains/bnpl.ts'
import { walletService } from '../../test/support/domains/wallet.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { type Client, mockCardService } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()
afterEach(() => injectFaults(railyard))

const services = {
  'mock-card': mockCardService(),
  'wallet-wallet': walletService(),
  'bnpl-bnpl': bnplService(),
}
const verify = (payment_service_definition_id: keyof typeof services) =>
  merchant.post('/payment-services/verify', {
    payment_service_definition_id,
    fields: services[payment_service_definition_id].fields,
  })

test.each(['mock-card', 'wallet-wallet', 'bnpl-bnpl'] as const)(
  'while %s does not answer as it should, its credentials are not reported as wrong',
  async (definition) => {
    expect(await verify(definition)).toMatchObject({ status: 200 })
    for (const kind of ['reset', 'outage', 'malformed'] as const) {
      await injectFaults(railyard, { operation: '*', kind })
      expect(await verify(definition)).toMatchObject({
        status: 502,
        body: { code: 'bad_gateway', message: expect.stringContaining('does not answer as it should') },
      })
    }
    await injectFaults(railyard)
    expect(await verify(definition)).toMatchObject({ status: 200 })
  },
)
