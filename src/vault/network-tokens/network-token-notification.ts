import type { NotificationKind } from '../../connectors/wire/signed-notification-url.ts'

/** The URLs to which the token service sends notifications that a scheme changed a token. */
export const tokenNotifications: NotificationKind = {
  path: 'notifications/network-tokens',
  purpose: 'token-notification',
}
