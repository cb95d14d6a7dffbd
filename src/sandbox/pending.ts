import { type Booked, record } from './books.ts'
import type { Result } from './operation.ts'
import type { Payment } from './payment.ts'
import { later, type Sandbox, timestamp } from './sandbox.ts'
import { tellMerchant } from './telling.ts'

export const isPending = ({ result }: Booked): boolean => result.status === 'pending'

/** A pending operation becomes approved. */
export function settleNow(sandbox: Sandbox, key: string): void {
  record(sandbox.books, { entry: 'settled', key, at: timestamp(sandbox) })
}

/** Tells the merchant's notification URL in the provider's way; it promises nothing. */
export async function tell(sandbox: Sandbox, payment: Payment, result: Result): Promise<void> {
  const { notification_url: url } = payment
  const provider = sandbox.providers.get(payment.provider)
  if (!url || !provider) return
  const message = await provider.notification(sandbox, payment, result)
  const { payment_service_id, card } = payment
  await tellMerchant({ sandbox, payment_service_id, operation: result.kind, bin: card?.bin ?? null, url, message })
}

/** Settles the operation after the sandbox's pending time and notifies, unless a lookup or a cancel ends it earlier. */
export function awaitSettlement(sandbox: Sandbox, key: string, milliseconds = sandbox.pendingMs): void {
  later(sandbox, milliseconds, async () => {
    const booked = sandbox.books.operations.get(key)
    if (!booked || !isPending(booked)) return
    settleNow(sandbox, key)
    const payment = sandbox.books.payments.get(booked.result.payment_id)
    if (payment) await tell(sandbox, payment, booked.result)
  })
}

/** After a restart: what was pending goes on waiting for the rest of its time. */
export function resumePending(sandbox: Sandbox): void {
  for (const [key, booked] of sandbox.books.operations) {
    if (!isPending(booked)) continue
    const waited = sandbox.clock.now() - Date.parse(booked.result.processed_at)
    awaitSettlement(sandbox, key, Math.min(sandbox.pendingMs, Math.max(0, sandbox.pendingMs - waited)))
  }
}
