import { type Booked, record } from './books.ts'
import { notify } from './notification.ts'
import { later, type Sandbox, timestamp } from './sandbox.ts'

export const isPending = ({ result }: Booked): boolean => result.status === 'pending'

/** A pending operation becomes approved. */
export function settleNow(sandbox: Sandbox, key: string): void {
  record(sandbox.books, { entry: 'settled', key, at: timestamp(sandbox) })
}

/** Settles the operation after the sandbox's pending time and notifies, unless a lookup or a cancel ends it earlier. */
export function awaitSettlement(sandbox: Sandbox, key: string, milliseconds = sandbox.pendingMs): void {
  later(sandbox, milliseconds, () => {
    const booked = sandbox.books.operations.get(key)
    if (!booked || !isPending(booked)) return
    settleNow(sandbox, key)
    const { payment_id } = booked.result
    const url = sandbox.books.payments.get(payment_id)?.notification_url
    if (url) void notify(url, { key, payment_id }, sandbox.ending.signal)
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
