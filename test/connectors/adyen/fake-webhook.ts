import { createHmac } from 'node:crypto'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import { contract } from '../../contracts/contract.ts'
import type { FakeEvent } from './fake-books.ts'

const webhooks = contract('adyen-webhooks')

/** An item as the provider signs it: HMAC-SHA-256 over eight members, in base64. */
export function signatureOf(item: Readonly<Record<string, unknown>>, key: string): string {
  const amount = item['amount'] as { value: number; currency: string }
  const signed = [
    item['pspReference'],
    item['originalReference'] ?? '',
    item['merchantAccountCode'],
    item['merchantReference'],
    amount.value,
    amount.currency,
    item['eventCode'],
    item['success'],
  ].join(':')
  return createHmac('sha256', Buffer.from(key, 'hex')).update(signed).digest('base64')
}

/** A webhook with one event; throws if the provider's contract has no such message. */
export function signedWebhook(
  { eventCode, success, additionalData = {}, ...event }: FakeEvent,
  { merchant, key, now }: { merchant: string; key: string; now: number },
): NotificationForCall {
  const item = {
    eventCode,
    success: `${success}`,
    eventDate: new Date(now).toISOString(),
    merchantAccountCode: merchant,
    paymentMethod: 'visa',
    reason: '',
    ...event,
  }
  const body = {
    live: 'false',
    notificationItems: [
      {
        NotificationRequestItem: {
          ...item,
          additionalData: { ...additionalData, hmacSignature: signatureOf(item, key) },
        },
      },
    ],
  }
  const violations = webhooks.request({
    method: 'POST',
    path: `/${eventCode}`,
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (violations.length > 0) throw new Error(`the fake breaks the contract: ${violations.join('; ')}`)
  return { headers: { 'content-type': 'application/json' }, text: JSON.stringify(body), body }
}
