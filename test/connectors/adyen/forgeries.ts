import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'

/** The members that the provider signs, each with another value. */
const changes: readonly Readonly<Record<string, unknown>>[] = [
  { pspReference: 'NC6HT9CRT65ZGXXX' },
  { originalReference: 'NC6HT9CRT65ZGXXX' },
  { merchantAccountCode: 'AnotherAccount' },
  { merchantReference: '01a20008-7d03-7085-bf8e-ffffffffffff' },
  { amount: { value: 999_999, currency: 'EUR' } },
  { eventCode: 'CHARGEBACK' },
  { success: 'another' },
  { additionalData: {} },
]

/** A webhook without its signature, and with each signed member changed: the provider signs no other one. */
export const forgeriesOf = ({ headers, body }: NotificationForCall): NotificationForCall[] =>
  changes.map((change) => {
    const forged = { ...body, notificationItems: itemsIn(body).map((item) => changed(item, change)) }
    return { headers, text: JSON.stringify(forged), body: forged }
  })

const itemsIn = ({ notificationItems }: Readonly<Record<string, unknown>>): unknown[] =>
  Array.isArray(notificationItems) ? notificationItems : []

const changed = (item: unknown, change: Readonly<Record<string, unknown>>): unknown => {
  const inner = typeof item === 'object' && item !== null && 'NotificationRequestItem' in item
  return inner && typeof item.NotificationRequestItem === 'object'
    ? { NotificationRequestItem: { ...item.NotificationRequestItem, ...change } }
    : item
}
