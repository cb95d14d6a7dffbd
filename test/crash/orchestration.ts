import { randomUUID } from 'node:crypto'
import { mockAntiFraudService } from '../support/domains/anti-fraud.ts'
import { everyScheme } from '../support/domains/secure-shop.ts'
import { mockCardService } from '../support/railyard.ts'
import type { Client } from './client.ts'

/**
 * The routes of a card payment by `metadata.way`; without one the payment services are tried in their usual
 * order.
 */
export const ways = ['plain first', 'authenticated first', 'authenticated only'] as const

/**
 * Configures an account's other payment services and its anti-fraud service. Returns that service's
 * `webhook_url`.
 */
export async function configure(client: Client): Promise<string> {
  const created = async (path: string, body: object) => {
    const answer = await client.post(path, body)
    if (answer.status > 201) throw new Error(`${path} was answered ${answer.text}`)
    return answer.body
  }
  const service = (display_name: string, more: object) =>
    created(
      '/payment-services',
      mockCardService({
        display_name: `${display_name} ${randomUUID()}`,
        accepted_currencies: ['USD'],
        ...more,
      }),
    )
  const { id: plain } = await service('Second', {})
  const { id: authenticated } = await service('Authenticated', {
    three_d_secure_enabled: true,
    merchant_profile: everyScheme,
  })
  const attempts = {
    'plain first': [plain, authenticated],
    'authenticated first': [authenticated, plain],
    'authenticated only': [authenticated],
  }
  for (const way of ways) {
    await created('/flows/card-transaction/rules', {
      display_name: way,
      action: 'route-transaction',
      condition: { field: 'metadata.way', operator: 'is', value: way },
      outcome: { attempts: attempts[way].map((payment_service_id) => ({ payment_service_id })) },
    })
  }
  await created('/flows/card-transaction/rules/publish', {})
  return (await created('/anti-fraud-services', mockAntiFraudService())).webhook_url
}
