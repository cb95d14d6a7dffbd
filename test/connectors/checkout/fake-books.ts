import { createHmac } from 'node:crypto'
import type { FakeEffect } from '../../../src/connector-kit/fake-provider.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import { contract } from '../../contracts/contract.ts'

export const WEBHOOK_KEY = 'k3y-of-the-webhook'
export type Body = Readonly<Record<string, unknown>>

const published = contract('checkout')

export interface FakeAction {
  id: string
  type: 'Authorization' | 'Card Verification' | 'Capture' | 'Void' | 'Refund' | 'Payout'
  processed_on: string
  amount: number
  approved: boolean
  response_code: string
  response_summary: string
  reference?: string
}

export interface FakePayment {
  id: string
  reference: string
  currency: string
  requested: number
  amount: number
  status: 'Authorized' | 'Card Verified' | 'Captured' | 'Declined' | 'Expired' | 'Paid' | 'Pending' | 'Voided'
  isSale: boolean
  isEstimated: boolean
  responseCode: string
  /** Of the capture that follows the approval of a sale; absent: it is approved. */
  captureCode?: string
  captured: number
  refunded: number
  voided: number
  captureClosed: boolean
  requestedAt: number
  actions: FakeAction[]
  /** The instrument that the payment stores. */
  stored: string
}

const summaries: Readonly<Record<string, string>> = {
  '10000': 'Approved',
  '10010': 'Partial Value Approved',
  '20005': 'Declined - Do Not Honour',
  '20051': 'Insufficient Funds',
}

export const summaryOf = (code: string): string => summaries[code] ?? `Response ${code}`

/** What Checkout.com knows: payments, movements of money, and notifications that are due. */
export function fakeBooks(now: () => number) {
  const payments = new Map<string, FakePayment>()
  /** The card numbers of tokens that the browser script made. */
  const tokens = new Map<string, string>()
  const effects: FakeEffect[] = []
  let due: NotificationForCall[] = []
  let ids = 0

  const newId = (prefix: string): string => {
    ids += 1
    return `${prefix}_${ids.toString(36).padStart(26, 'a')}`
  }
  const timestamp = () => new Date(now()).toISOString()

  /** A notification of an event, signed over its text. */
  function signed(type: string, data: Body): NotificationForCall {
    const body = { id: newId('evt'), type, version: '1.0.33', created_on: timestamp(), data }
    const wrong = published.schema('WebhookEvent', body)
    if (wrong.length > 0) throw new Error(`the fake’s event breaks the contract: ${wrong.join('; ')}`)
    const text = JSON.stringify(body)
    return {
      headers: {
        'cko-signature': createHmac('sha256', WEBHOOK_KEY).update(text).digest('hex'),
        'content-type': 'application/json',
      },
      text,
      body,
    }
  }
  const notify = (type: string, data: Body) => void due.push(signed(type, data))

  return {
    payments,
    tokens,
    effects,
    newId,
    timestamp,
    notify,
    /** About a payment that another system of the merchant made. */
    foreignNotification: () =>
      signed('payment_approved', { id: newId('pay'), reference: 'order-of-the-shop' }),
    takeNotifications: () => {
      const taken = due
      due = []
      return taken
    },
    /** A step of a payment, with its movement of money if it is approved, and its notification. */
    act(
      payment: FakePayment,
      type: FakeAction['type'],
      { amount, reference, code = '10000', event, kind }: ActInput,
    ): FakeAction {
      const approved = code.startsWith('10')
      const action: FakeAction = {
        id: newId('act'),
        type,
        processed_on: timestamp(),
        amount,
        approved,
        response_code: code,
        response_summary: summaryOf(code),
        ...(reference !== undefined && { reference }),
      }
      payment.actions.push(action)
      if (approved && amount > 0 && kind)
        effects.push({
          key: reference ?? payment.reference,
          kind,
          payment: payment.id,
          amount,
          currency: payment.currency,
        })
      notify(event, {
        id: payment.id,
        action_id: action.id,
        amount,
        currency: payment.currency,
        response_code: code,
        response_summary: summaryOf(code),
        ...(reference !== undefined && { reference }),
      })
      return action
    },
  }
}

interface ActInput {
  amount: number
  reference?: string
  code?: string
  event: string
  kind?: FakeEffect['kind']
}

export type FakeBooks = ReturnType<typeof fakeBooks>
