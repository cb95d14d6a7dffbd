import { randomUUID } from 'node:crypto'
import { insertKeyPair } from '../accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../accounts/api-keys/private-key.ts'
import { resetClock } from '../accounts/merchant-accounts/account-clock.store.ts'
import { insertMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import {
  deleteWebhookSubscription,
  insertWebhookSubscription,
  listWebhookSubscriptions,
  openWebhookSecrets,
} from '../events/subscriptions/webhook-subscription.store.ts'
import { insertSandboxServices } from '../process/sandbox-services.ts'
import type { World } from '../world.ts'

/** What a test is told of the merchant that it is. */
export interface TestMerchant {
  account: string
  /** ES256, PKCS #8; signs tokens for this account alone. */
  privateKeyPem: string
  /** RFC 7638: the `kid` of its tokens. */
  keyId: string
  /** Of the subscription of the test's receiver. */
  webhookSecret: string
  /** By the ids of their definitions. */
  paymentServices: Record<string, string>
}

/** A merchant account of its own for a test, with all that a payment needs. `receiver` is told of its events. */
export async function openMerchant(world: World, receiver: string): Promise<TestMerchant> {
  const account = `test-${randomUUID()}`
  await insertMerchantAccount(world, { id: account, display_name: 'Test merchant' })
  const services = await insertSandboxServices(world, account)
  const key = await generateKey('ES256')
  await insertKeyPair(world, {
    displayName: 'Test',
    algorithm: 'ES256',
    thumbprint: key.thumbprint,
    publicJwk: key.publicJwk,
    roleIds: ['administrator'],
    merchantAccountIds: [account],
  })
  const subscription = await insertWebhookSubscription(world, { account, url: receiver, active: true, authentication: null, creator: null })
  return {
    account,
    privateKeyPem: key.privateKeyPem,
    keyId: key.thumbprint,
    webhookSecret: openWebhookSecrets(world, subscription).signing[0] ?? '',
    paymentServices: Object.fromEntries(services),
  }
}

/** The test is over: nobody listens to its events any more, and nobody asks what time it is for it. Its payments stay, for as long as the instance. */
export async function leaveMerchant(world: World, account: string): Promise<void> {
  const visible = { account, ofInstance: false }
  for (const { id } of await listWebhookSubscriptions(world, visible, { limit: 100, position: undefined }))
    await deleteWebhookSubscription(world, visible, id)
  await resetClock(world, account)
}
