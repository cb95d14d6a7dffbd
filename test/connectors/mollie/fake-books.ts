import { createHmac } from 'node:crypto'
import type { FakeAnswer, FakeEffect } from '../../../src/connector-kit/fake-provider.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'

export type Body = Readonly<Record<string, unknown>>

export interface Money {
  currency: string
  value: string
}

/** A capture or a refund. */
export interface FakeMovement {
  id: string
  resource: 'capture' | 'refund'
  status: string
  amount: Money
  metadata: unknown
  createdAt: number
}

export interface FakePayment {
  id: string
  body: Body
  amount: Money
  status: string
  isManual: boolean
  createdAt: number
  authorizedAt: number | null
  paidAt: number | null
  expiresAt: number
  failure: string | null
  mandateId: string | null
  hasPage: boolean
  captures: FakeMovement[]
  refunds: FakeMovement[]
  chargebacks: { id: string; amount: Money; createdAt: number; reversedAt: number | null }[]
}

const DIGITS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 }
const digitsOf = (currency: string) => DIGITS[currency] ?? 2

export const unitsOf = ({ value, currency }: Money) => Math.round(Number(value) * 10 ** digitsOf(currency))

export const moneyOf = (units: number, currency: string): Money => ({
  currency,
  value: (units / 10 ** digitsOf(currency)).toFixed(digitsOf(currency)),
})

/** Whether the text has exactly the decimals of its currency. */
export const isExact = ({ value, currency }: Money) =>
  (value.split('.')[1]?.length ?? 0) === digitsOf(currency) && !value.startsWith('-')

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const problem = (status: number, detail: string, field?: string): FakeAnswer => ({
  status,
  body: { status, title: `HTTP ${status}`, detail, ...(field !== undefined && { field }) },
})

/** What the fake provider remembers. */
export function fakeBooks(now: () => number) {
  const payments: FakePayment[] = []
  const effects: FakeEffect[] = []
  const customers = new Map<string, Body>()
  const mandates = new Map<string, { customer: string; status: string }>()
  const webhooks = new Map<string, { body: Body; secret: string; createdAt: number }>()
  let due: NotificationForCall[] = []
  let ids = 0
  return {
    payments,
    effects,
    customers,
    mandates,
    webhooks,
    now,
    iso: (time: number | null) => (time === null ? null : new Date(time).toISOString()),
    nextId(prefix: string) {
      ids += 1
      return `${prefix}_${`${ids}`.padStart(10, '0')}`
    },
    payment: (id: string) => payments.find((each) => each.id === id),
    effect(payment: FakePayment, kind: FakeEffect['kind'], key: string, amount: Money) {
      effects.push({ key, kind, payment: payment.id, amount: unitsOf(amount), currency: amount.currency })
    },
    /** Tells of a change: the classic webhook of the payment, and a signed event for each webhook. */
    notify(payment: FakePayment, type: string, entity: Body) {
      if (payment.body['webhookUrl'])
        due.push({
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          text: `id=${payment.id}`,
          body: {},
        })
      for (const { body, secret } of webhooks.values()) {
        if (![body['eventTypes']].flat().includes(type)) continue
        const event = {
          resource: 'event',
          id: `event_${payment.id}${due.length}`,
          type,
          entityId: textOf(entity['id']),
          createdAt: new Date(now()).toISOString(),
          _embedded: { entity },
          _links: {},
        }
        due.push(signedEvent(event, secret))
      }
    },
    takeNotifications() {
      const taken = due
      due = []
      return taken
    },
  }
}

export type FakeBooks = ReturnType<typeof fakeBooks>

/** An event as the provider signs it. */
export function signedEvent(event: Body, ...secrets: string[]): NotificationForCall {
  const text = JSON.stringify(event)
  const signatures = secrets.map(
    (secret) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  )
  return {
    headers: { 'content-type': 'application/json', 'x-mollie-signature': signatures.join(',') },
    text,
    body: event,
  }
}
