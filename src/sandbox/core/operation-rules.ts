import type { FollowUpKind } from './operation.ts'
import type { Payment } from './payment.ts'

type ForbiddenReason = 'invalid_amount' | 'unexpected_state' | 'expired_authorization'

/** A payment service with over-capture takes up to this many times the authorized amount. */
const MAX_OVER_CAPTURE = 2

const pendingAmount = (payment: Payment, kind: FollowUpKind) => payment.pending[kind] ?? 0

const hasMoney = (payment: Payment) => payment.authorization === 'approved' && !payment.voided && pendingAmount(payment, 'void') === 0

const hasExpired = ({ authorization_expires_at: expiry }: Payment, now: number) => expiry !== null && now > Date.parse(expiry)

const operationRules: Record<FollowUpKind, (payment: Payment, amount: number, now: number) => ForbiddenReason | null> = {
  capture(payment, amount, now) {
    if (!hasMoney(payment) || payment.final) return 'unexpected_state'
    if (hasExpired(payment, now)) return 'expired_authorization'
    const taken = payment.captured + pendingAmount(payment, 'capture')
    return taken + amount > MAX_OVER_CAPTURE * payment.authorized ? 'invalid_amount' : null
  },
  void(payment) {
    const taken = payment.captured + pendingAmount(payment, 'capture')
    return hasMoney(payment) && taken === 0 ? null : 'unexpected_state'
  },
  cancel(payment) {
    return payment.authorization === 'pending' ? null : 'unexpected_state'
  },
  increment(payment, _amount, now) {
    if (!hasMoney(payment) || payment.final) return 'unexpected_state'
    return hasExpired(payment, now) ? 'expired_authorization' : null
  },
  refund(payment, amount) {
    if (payment.captured === 0) return 'unexpected_state'
    return amount > payment.captured - payment.refunded - pendingAmount(payment, 'refund') ? 'invalid_amount' : null
  },
}

/** Why the provider's own books forbid this operation, or null. A caller's mistake must not move money that is not there. */
export const forbiddenReason = (kind: FollowUpKind, payment: Payment, amount: number, now: number): ForbiddenReason | null =>
  operationRules[kind](payment, amount, now)
