import { runAfter, type Sandbox, timestamp } from '../sandbox.ts'
import { type BookedOperation, record } from './books.ts'
import { notifyMerchant } from './notify-merchant.ts'
import type { Result } from './operation.ts'
import type { Payment } from './payment.ts'

export const isPending = ({ result }: BookedOperation): boolean => result.status === 'pending'

/** Approves a pending operation. */
export function approveNow(sandbox: Sandbox, key: string): void {
  record(sandbox.books, { entry: 'settled', key, at: timestamp(sandbox) })
}

/** Notifies the merchant in the provider's form. The notification may get lost. */
export async function notifyOfResult(sandbox: Sandbox, payment: Payment, result: Result): Promise<void> {
  const { notification_url: url } = payment
  const provider = sandbox.providers.get(payment.provider)
  if (!url || !provider?.notification) return
  const message = await provider.notification(sandbox, payment, result)
  const { payment_service_id, card } = payment
  await notifyMerchant({
    sandbox,
    payment_service_id,
    operation: result.kind,
    bin: card?.bin ?? null,
    url,
    message,
  })
}

/**
 * Approves the operation after the sandbox's pending time and notifies the merchant, unless a lookup or a
 * cancel ends it earlier.
 */
export function scheduleApproval(sandbox: Sandbox, key: string, milliseconds = sandbox.pendingMs): void {
  runAfter(sandbox, milliseconds, async () => {
    const booked = sandbox.books.operations.get(key)
    if (!booked || !isPending(booked)) return
    approveNow(sandbox, key)
    const payment = sandbox.books.payments.get(booked.result.payment_id)
    if (payment) await notifyOfResult(sandbox, payment, booked.result)
  })
}

/** After a restart: pending operations wait for the rest of their time. */
export function resumePending(sandbox: Sandbox): void {
  for (const [key, booked] of sandbox.books.operations) {
    if (!isPending(booked)) continue
    const waited = sandbox.clock.now() - Date.parse(booked.result.processed_at)
    scheduleApproval(sandbox, key, Math.min(sandbox.pendingMs, Math.max(0, sandbox.pendingMs - waited)))
  }
}
