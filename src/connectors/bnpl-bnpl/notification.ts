import type { NotificationSubject } from '../contract/connector.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { isObject } from './wire.ts'

/**
 * The payment that a notification is about. The provider signs nothing; the secret in the URL proves the
 * sender. It notifies when a buyer has approved (`session_id` beside a token), when the state of a page
 * changes (`session` inside), and when an order's risk is decided.
 */
export function notificationSubject(body: Record<string, unknown>): NotificationSubject {
  const { session } = body
  const payment =
    nonEmptyText(body['order_id']) ??
    nonEmptyText(body['session_id']) ??
    (isObject(session) ? nonEmptyText(session['session_id']) : null)
  return payment ? { about: 'payment', payment } : { about: 'nothing' }
}
