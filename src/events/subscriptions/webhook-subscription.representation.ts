import { SECRET_MASK } from '../../api/values/secret-mask.ts'
import type { World } from '../../world.ts'
import type {
  WebhookAuthentication as ShownAuthentication,
  WebhookSubscription,
} from './webhook-subscription.schema.ts'
import { isRotating, openWebhookSecrets, type WebhookSubscriptionRow } from './webhook-subscription.store.ts'
import type { WebhookAuthentication } from './webhook-subscription.ts'

/**
 * A subscription as the API shows it: the signing secret in the clear, since receivers need it, and the
 * secrets of its authentication masked.
 */
export function showWebhookSubscription(
  world: Pick<World, 'cipher' | 'clock'>,
  row: WebhookSubscriptionRow,
): WebhookSubscription {
  const { signing, authentication } = openWebhookSecrets(world, row)
  return {
    type: 'webhook-subscription',
    id: row.id,
    merchant_account_id: row.merchant_account_id,
    active: row.active,
    url: row.url,
    authentication: authentication && maskSecrets(authentication),
    secret: signing[0] ?? null,
    rotating: isRotating(world, row),
    creator: row.creator,
  }
}

function maskSecrets(authentication: WebhookAuthentication): ShownAuthentication {
  const type = 'webhook-authentication'
  if (authentication.kind === 'basic') return { ...authentication, type, password: SECRET_MASK }
  if (authentication.kind === 'oauth_password')
    return { ...authentication, type, client_secret: SECRET_MASK, password: SECRET_MASK }
  return { ...authentication, type, client_secret: SECRET_MASK }
}
