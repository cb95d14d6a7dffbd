import {
  isNotificationSignature,
  type NotificationKind,
  signedNotificationUrl,
} from '../connectors/wire/signed-notification-url.ts'
import type { World } from '../world.ts'

const kind: NotificationKind = { path: 'anti-fraud-notifications', purpose: 'anti-fraud-notification' }

/** The URL to which an anti-fraud service sends the decisions of its reviews. */
export const antiFraudNotificationUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  id: string,
): string => signedNotificationUrl(world, kind, account, id)

/** Whether a text is the last part of that service's notification URL. */
export const isAntiFraudNotificationToken = (
  world: Pick<World, 'cipher'>,
  account: string,
  id: string,
  token: string,
): boolean => isNotificationSignature(world, kind, account, id, token)
