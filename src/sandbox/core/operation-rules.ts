import type { FollowUpKind, SimulatedResult } from './operation.ts'
import type { Payment } from './payment.ts'

type ForbiddenReason = 'invalid_amount' | 'unexpected_state' | 'expired_authorization'

/** The result of a forbidden operation: an expired authorization is a decline, every other one a failure. */
export const forbiddenResult = (reason: ForbiddenReason): SimulatedResult => ({
  status: reason === 'expired_authorization' ? 'declined' : 'failed',
  code: reason,
})

/** With over-capture a payment service accepts up to this many times the authorized amount. */
const MAX_OVER_CAPTURE = 2

const pendingAmount = (payment: Payment, kind: FollowUpKind) => payment.pending[kind] ?? 0

const hasMoney = (payment: Payment) =>
  payment.authorization === 'approved' && !payment.voided && pendingAmount(payment, 'void') === 0

const hasExpired = ({ authorization_expires_at: expiry }: Payment, now: number) =>
  expiry !== null && now > Date.parse(expiry)

const operationRules: Record<
  FollowUpKind,
  (payment: Payment, amount: number, now: number) => ForbiddenReason | null
> = {
  capture(payment, amount, now) {
    if (!hasMoney(payment) || payment.final) return 'unexpected_state'
    if (hasExpired(payment, now)) return 'expired_authorization'
    const captured = payment.captured + pendingAmount(payment, 'capture')
    return captured + amount > MAX_OVER_CAPTURE * payment.authorized ? 'invalid_amount' : null
  },
  void(payment) {
    const captured = payment.captured + pendingAmount(payment, 'capture')
    return hasMoney(payment) && captured === 0 ? null : 'unexpected_state'
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
    return amount > payment.captured - payment.refunded - pendingAmount(payment, 'refund')
      ? 'invalid_amount'
      : null
  },
}

/**
 * The reason why the provider's books forbid this operation; null if they allow it. A caller's mistake must
 * not move money that does not exist.
 */
export const forbiddenReason = (
  kind: FollowUpKind,
  payment: Payment,
  amount: number,
  now: number,
): ForbiddenReason | null => operationRules[kind](payment, amount, now)
