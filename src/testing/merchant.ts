import { randomUUID } from 'node:crypto'
import { insertKeyPair } from '../accounts/api-keys/api-key-pair.store.ts'
import { generateKey } from '../accounts/api-keys/private-key.ts'
import { resetClock } from '../accounts/merchant-accounts/account-clock.store.ts'
import { insertMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import { namedStatement } from '../database/named-statement.ts'
import {
  deleteWebhookSubscription,
  insertWebhookSubscription,
  listWebhookSubscriptions,
  openWebhookSecrets,
} from '../events/subscriptions/webhook-subscription.store.ts'
import { insertSandboxServices } from '../process/sandbox-services.ts'
import type { World } from '../world.ts'

/** A test's merchant account, as the test gets it. */
export interface TestMerchant {
  account: string
  /** ES256, PKCS #8; its tokens are for this account only. */
  privateKeyPem: string
  /** RFC 7638: the `kid` of its tokens. */
  keyId: string
  /** Signs the deliveries to the test's receiver. */
  webhookSecret: string
  /** Ids of payment services, by the ids of their definitions. */
  paymentServices: Record<string, string>
}

/**
 * Opens a merchant account for a test, with all that a payment needs. `receiver` is the URL that its webhooks
 * are sent to.
 */
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
  const subscription = await insertWebhookSubscription(world, {
    account,
    url: receiver,
    active: true,
    authentication: null,
    creator: null,
  })
  return {
    account,
    privateKeyPem: key.privateKeyPem,
    keyId: key.thumbprint,
    webhookSecret: openWebhookSecrets(world, subscription).signing[0] ?? '',
    paymentServices: Object.fromEntries(services),
  }
}

/**
 * Ends the webhooks of a test that has ended, and resets its clock. Its payments stay until the instance
 * ends.
 */
export async function leaveMerchant(world: World, account: string): Promise<void> {
  const visible = { account, ofInstance: false }
  for (const { id } of await listWebhookSubscriptions(world, visible, { limit: 100, position: undefined }))
    await deleteWebhookSubscription(world, visible, id)
  await resetClock(world, account)
}

const redirectDeliveries = namedStatement(
  ['account', 'from', 'to'],
  (p) => `
update webhook_subscriptions
   set url = case when url = ${p.from} then ${p.to} else url end,
       active = active and merchant_account_id is not distinct from ${p.account}`,
)

/** The sender of the original had leased them. */
const releaseQueues = `update webhook_queues set leased_by = null, leased_until = '-infinity'`

/**
 * In a copy of an instance: sends the webhooks of a test to its receiver of the copy, and those of other tests
 * nowhere.
 */
export async function redirectWebhooks(
  world: Pick<World, 'run'>,
  redirection: { account: string; from: string; to: string },
): Promise<void> {
  await redirectDeliveries.run(world, redirection)
  await world.run(releaseQueues, [])
}
