import {
  isNotificationSignature,
  paymentNotifications,
  signedNotificationUrl,
} from '../connectors/wire/signed-notification-url.ts'
import type { World } from '../world.ts'

/** The URL to which a payment service sends notifications that an operation has changed. */
export const notificationUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  id: string,
): string => signedNotificationUrl(world, paymentNotifications, account, id)

/** Whether a text is the last part of that service's notification URL. */
export const isNotificationToken = (
  world: Pick<World, 'cipher'>,
  account: string,
  id: string,
  token: string,
): boolean => isNotificationSignature(world, paymentNotifications, account, id, token)
