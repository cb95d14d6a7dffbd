import { expect, test } from 'vitest'
import { connectors } from '../../src/connectors/registry.ts'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'

const providerUrls = {
  stripe: 'http://127.0.0.1:1',
  adyen: 'http://127.0.0.1:2',
  checkout: 'http://127.0.0.1:3',
  mollie: 'http://127.0.0.1:4',
}

/** The origins to which the definitions send their credentials, by the provider in their names. */
async function originsOf(sandboxUrl: string | undefined, fields: Record<string, string>) {
  const origins = new Map<string, Set<string>>()
  const made = connectors({ sandboxUrl, clock: { now: () => 0 }, providerUrls })
  for (const [id, connector] of made) {
    const [provider = ''] = id.split('-')
    if (!Object.hasOwn(providerUrls, provider)) continue
    const seen = origins.get(provider) ?? new Set()
    origins.set(provider, seen)
    const http = async ({ url }: HttpRequest) => {
      seen.add(new URL(url).origin)
      return { lost: true as const, sent: false, reason: 'ECONNREFUSED' }
    }
    await connector.verifyCredentials({ http, service: { id, fields, notificationUrl: '' } })
  }
  return Object.fromEntries([...origins].map(([provider, seen]) => [provider, [...seen]]))
}

test('the sandbox sends every request of a provider to the fake, whatever a service is configured with', async () => {
  const fields = {
    environment: 'sandbox',
    secret_key: 'sk_sbox_1',
    url_prefix: 'evil',
    live_url_prefix: 'evil',
  }
  expect(await originsOf('http://127.0.0.1:9', fields)).toEqual(
    Object.fromEntries(Object.entries(providerUrls).map(([name, url]) => [name, [url]])),
  )
})

test('without a sandbox the hosts of the providers stay', async () => {
  const fields = { environment: 'production', secret_key: 'sk_1', live_url_prefix: 'shop' }
  expect(await originsOf(undefined, fields)).toEqual({
    stripe: ['https://api.stripe.com'],
    adyen: ['https://shop-checkout-live.adyenpayments.com'],
    checkout: ['https://api.checkout.com'],
    mollie: ['https://api.mollie.com'],
  })
})
