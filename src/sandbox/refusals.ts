import type { LaterKind } from './operation.ts'
import type { Payment } from './payment.ts'

type Refusal = 'invalid_amount' | 'unexpected_state' | 'expired_authorization'

/** A payment service with over-capture takes up to this many times the authorized amount. */
const overCapture = 2

const pending = (payment: Payment, kind: LaterKind) => payment.pending[kind] ?? 0

const holdsMoney = (payment: Payment) => payment.authorization === 'approved' && !payment.voided && pending(payment, 'void') === 0

const expired = ({ authorization_expires_at: expiry }: Payment, now: number) => expiry !== null && now > Date.parse(expiry)

const refusals: Record<LaterKind, (payment: Payment, amount: number, now: number) => Refusal | null> = {
  capture(payment, amount, now) {
    if (!holdsMoney(payment) || payment.final) return 'unexpected_state'
    if (expired(payment, now)) return 'expired_authorization'
    const taken = payment.captured + pending(payment, 'capture')
    return taken + amount > overCapture * payment.authorized ? 'invalid_amount' : null
  },
  void(payment) {
    const taken = payment.captured + pending(payment, 'capture')
    return holdsMoney(payment) && taken === 0 ? null : 'unexpected_state'
  },
  cancel(payment) {
    return payment.authorization === 'pending' ? null : 'unexpected_state'
  },
  increment(payment, _amount, now) {
    if (!holdsMoney(payment) || payment.final) return 'unexpected_state'
    return expired(payment, now) ? 'expired_authorization' : null
  },
  refund(payment, amount) {
    if (payment.captured === 0) return 'unexpected_state'
    return amount > payment.captured - payment.refunded - pending(payment, 'refund') ? 'invalid_amount' : null
  },
}

/** Why the provider's own books forbid this operation, or null. A caller's mistake must not move money that is not there. */
export const refusal = (kind: LaterKind, payment: Payment, amount: number, now: number): Refusal | null => refusals[kind](payment, amount, now)
