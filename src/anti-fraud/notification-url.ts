import type { NotificationKind } from '../connectors/wire/signed-notification-url.ts'

/** The URLs to which anti-fraud services send the decisions of their reviews. */
export const antiFraudNotifications: NotificationKind = {
  path: 'anti-fraud-notifications',
  purpose: 'anti-fraud-notification',
}
