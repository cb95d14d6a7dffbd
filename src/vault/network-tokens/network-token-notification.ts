import {
  isNotificationSignature,
  type NotificationKind,
  signedNotificationUrl,
} from '../../connectors/wire/signed-notification-url.ts'
import type { World } from '../../world.ts'

const kind: NotificationKind = { path: 'notifications/network-tokens', purpose: 'token-notification' }

/** The URL to which the token service sends notifications that a scheme changed this token. */
export const tokenNotificationUrl = (
  world: Pick<World, 'cipher' | 'publicUrl'>,
  account: string,
  id: string,
): string => signedNotificationUrl(world, kind, account, id)

/** Whether a text is the last part of the token's notification URL. */
export const isNotificationProof = (
  world: Pick<World, 'cipher'>,
  account: string,
  id: string,
  proof: string,
): boolean => isNotificationSignature(world, kind, account, id, proof)
