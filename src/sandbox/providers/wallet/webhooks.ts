import { sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { notifyMerchant } from '../../core/notify-merchant.ts'
import type { Result } from '../../core/operation.ts'
import type { NotificationMessage } from '../../core/provider-messages.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import type { SigningCertificate } from './certificate.ts'
import type { WalletOrder, Webhook } from './order.ts'
import { payer, relatedTo, showAuthorization, showCapture, showOrder, showRefund } from './representation.ts'

/** Signs a simulator's notifications. */
export type Signer = () => Promise<SigningCertificate>

interface WalletEvent {
  event_type: string
  resource_type: 'checkout-order' | 'authorization' | 'capture' | 'refund' | 'payment_token'
  resource: object
}

/** Notifies the merchant that the buyer approved. Like every notification it may get lost. */
export const notifyApproval = (sandbox: Sandbox, signer: Signer, order: WalletOrder): Promise<void> =>
  sendEvent(sandbox, signer, order, 'approval', {
    event_type: 'CHECKOUT.ORDER.APPROVED',
    resource_type: 'checkout-order',
    resource: showOrder(sandbox, order),
  })

/** Notifies the merchant that the payment of an order stored its buyer's account. */
export const notifyStoredAccount = (
  sandbox: Sandbox,
  signer: Signer,
  order: WalletOrder,
  account: string,
): Promise<void> =>
  sendEvent(sandbox, signer, order, 'approval', {
    event_type: 'VAULT.PAYMENT-TOKEN.CREATED',
    resource_type: 'payment_token',
    resource: {
      id: account,
      customer: { id: payer.payer_id },
      payment_source: {
        paypal: { email_address: payer.email_address, account_id: payer.payer_id },
      },
      metadata: { order_id: order.id },
    },
  })

/** Notifies the merchant of an operation's outcome, if the wallet has an event for it. */
export async function notifyOutcome(
  sandbox: Sandbox,
  signer: Signer,
  order: WalletOrder,
  result: Result,
): Promise<void> {
  const event = eventOf(sandbox, order, result)
  if (event) await sendEvent(sandbox, signer, order, result.kind, event)
}

async function sendEvent(
  sandbox: Sandbox,
  signer: Signer,
  { payment_service_id, webhook }: WalletOrder,
  operation: Result['kind'] | 'approval',
  event: WalletEvent,
): Promise<void> {
  if (!webhook) return
  const message = await signedMessage(sandbox, signer, webhook, event)
  await notifyMerchant({ sandbox, payment_service_id, operation, bin: null, url: webhook.url, message })
}

/** The wallet's event for an operation; null: it has none. */
export function eventOf(sandbox: Sandbox, order: WalletOrder, result: Result): WalletEvent | null {
  const { kind, status } = result
  switch (kind) {
    case 'authorize': {
      const resource = showAuthorization(sandbox, order, result)
      return status === 'approved'
        ? { event_type: 'PAYMENT.AUTHORIZATION.CREATED', resource_type: 'authorization', resource }
        : null
    }
    case 'void':
    case 'cancel': {
      const opening = sandbox.books.operations.get(sandbox.books.payments.get(order.id)?.opened_by ?? '')
      if (status !== 'approved' || !opening) return null
      const resource = showAuthorization(sandbox, order, opening.result)
      return { event_type: 'PAYMENT.AUTHORIZATION.VOIDED', resource_type: 'authorization', resource }
    }
    case 'sale':
    case 'capture': {
      const types = {
        approved: 'COMPLETED',
        pending: 'PENDING',
        declined: 'DENIED',
        failed: 'DENIED',
      } as const
      return {
        event_type: `PAYMENT.CAPTURE.${types[status]}`,
        resource_type: 'capture',
        resource: showCapture(sandbox, order, result),
      }
    }
    case 'refund': {
      const resource = { ...showRefund(order, result), supplementary_data: relatedTo(order) }
      return status === 'approved'
        ? { event_type: 'PAYMENT.CAPTURE.REFUNDED', resource_type: 'refund', resource }
        : null
    }
    default:
      return null
  }
}

/** An event with its signature: over its id, its time, the webhook's id and the check sum of its text. */
export async function signedMessage(
  sandbox: Sandbox,
  signer: Signer,
  webhook: Webhook,
  event: WalletEvent,
): Promise<NotificationMessage> {
  const { privateKey } = await signer()
  const id = sandbox.ids.next()
  const time = timestamp(sandbox)
  const body = JSON.stringify({
    id: `WH-${id}`,
    event_version: '1.0',
    create_time: time,
    ...event,
    summary: event.event_type,
    links: [],
  })
  const signature = sign('RSA-SHA256', Buffer.from([id, time, webhook.id, crc32(body)].join('|')), privateKey)
  return {
    headers: {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': signature.toString('base64'),
      'paypal-cert-url': `${webhook.origin}/certs/sandbox.pem`,
      'paypal-auth-algo': 'SHA256withRSA',
    },
    body,
  }
}
