import type { World } from '../world.ts'
import type { WebhookEndpoint } from './webhook-subscription.store.ts'

/** The authorization headers of a subscription's deliveries (SEMANTICS §15.1). */
export async function authorizationOf(_world: World, { authentication }: WebhookEndpoint): Promise<Record<string, string>> {
  if (authentication?.kind !== 'basic') return {}
  const credentials = Buffer.from(`${authentication.username}:${authentication.password}`).toString('base64')
  return { authorization: `Basic ${credentials}` }
}
