import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NotificationForCall, NotificationSubject, ServiceCall } from 'railyard/connector'

/** The signature that Acme sends in the header `acme-signature`: HMAC-SHA256 of the body, in hex. */
export const signatureOf = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex')

/**
 * What a notification is about. Its signature comes first; what it says of the operation is not read, because
 * Railyard then calls `find`.
 */
export async function readNotification(
  { service }: ServiceCall,
  { headers, text, body }: NotificationForCall,
): Promise<NotificationSubject> {
  const expected = Buffer.from(signatureOf(service.fields['webhook_secret'] ?? '', text))
  const given = Buffer.from(String(headers['acme-signature'] ?? ''))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { about: 'forged' }
  const { reference } = body
  return typeof reference === 'string' ? { about: 'operation', operation: reference } : { about: 'nothing' }
}
