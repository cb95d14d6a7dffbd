import type { NotificationSubject } from '../connector.ts'
import { isObject, text } from './wire.ts'

/**
 * What a call to our notification URL is about. The provider signs nothing; the URL's own secret tells that it is the sender. It calls when a
 * buyer approved (`session_id` beside a token), when a page's state changed (`session` inside), and when an order's risk is decided.
 */
export function notificationSubject(body: Record<string, unknown>): NotificationSubject {
  const { session } = body
  const about = text(body['order_id']) ?? text(body['session_id']) ?? (isObject(session) ? text(session['session_id']) : null)
  return about ? { payment: about } : 'nothing'
}
