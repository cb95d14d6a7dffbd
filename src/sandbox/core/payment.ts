import type { OperationKind, OperationStatus, Result } from './operation.ts'

/**
 * A payment or a payout in the provider's books. Amounts count approved operations; pending ones are in
 * `pending`.
 */
export interface Payment {
  payment_id: string
  payment_service_id: string
  currency: string
  /** The key of the authorization, sale or payout that made it. */
  opened_by: string
  authorization: OperationStatus
  /** Increments included. */
  authorized: number
  captured: number
  refunded: number
  /** To the card, by a payout. */
  paid_out: number
  voided: boolean
  /** True after a sale or a final capture: nothing more can be captured. */
  final: boolean
  authorization_expires_at: string | null
  /**
   * Amounts of pending operations: they count as spent until they are final, or two of them could spend the
   * same money.
   */
  pending: Partial<Record<OperationKind, number>>
  /** The only card data that is stored. */
  card: CardDigits | null
  notification_url: string | null
  /** The proof of the cardholder's authentication, if there was one. */
  three_d_secure?: ReceivedProof
  /** The provider's name: the first segment of its paths. */
  provider: string
}

/** The proof of authentication that the provider received. */
export interface ReceivedProof {
  eci: string | null
  cavv: string | null
  version: string
  directory_transaction_id: string | null
  directory_response: string
  authentication_response: string | null
}

export interface CardDigits {
  bin: string
  last4: string
}

/** The members that come from the request that opened the payment; the others follow from its operations. */
export type PaymentOpening = Pick<Payment, 'card' | 'notification_url' | 'three_d_secure' | 'provider'>

export function openPayment(service: string, result: Result, opening: PaymentOpening): Payment {
  return {
    payment_id: result.payment_id,
    payment_service_id: service,
    currency: result.currency,
    opened_by: result.key,
    // a payout authorizes nothing, so no operation can follow it
    authorization: result.kind === 'payout' ? 'failed' : result.status,
    authorized: 0,
    captured: 0,
    refunded: 0,
    paid_out: 0,
    voided: false,
    final: result.kind !== 'authorize',
    authorization_expires_at: result.authorization_expires_at,
    pending: {},
    ...opening,
  }
}

/**
 * The effect of an approved operation on its payment. A cancel moves no money: `releasePending` ends the
 * operation that it cancels.
 */
const applyToPayment: Record<OperationKind, (payment: Payment, amount: number) => void> = {
  authorize(payment, amount) {
    payment.authorization = 'approved'
    payment.authorized += amount
  },
  sale(payment, amount) {
    payment.authorization = 'approved'
    payment.authorized += amount
    payment.captured += amount
  },
  capture(payment, amount) {
    payment.captured += amount
  },
  increment(payment, amount) {
    payment.authorized += amount
  },
  refund(payment, amount) {
    payment.refunded += amount
  },
  payout(payment, amount) {
    payment.paid_out += amount
  },
  void(payment) {
    payment.voided = true
  },
  cancel() {},
}

/** Books a new operation on its payment. Declined and failed operations do not change it. */
export function bookOnPayment(payment: Payment, { kind, status, amount }: Result, final: boolean): void {
  if (status === 'declined' || status === 'failed') return
  if (final) payment.final = true
  if (status === 'pending') payment.pending[kind] = (payment.pending[kind] ?? 0) + amount
  else applyToPayment[kind](payment, amount)
}

/** Books the approval of a pending operation. */
export function approvePending(payment: Payment, { kind, amount }: Result): void {
  releasePending(payment, kind, amount)
  applyToPayment[kind](payment, amount)
}

/** Books the refusal of a pending operation. */
export function refusePending(payment: Payment, { kind, amount }: Result, status: OperationStatus): void {
  releasePending(payment, kind, amount)
  if (kind === 'authorize' || kind === 'sale') payment.authorization = status
}

/** Releases the money that a pending operation reserved. */
export function releasePending(payment: Payment, kind: OperationKind, amount: number): void {
  const remaining = (payment.pending[kind] ?? 0) - amount
  if (remaining > 0) payment.pending[kind] = remaining
  else delete payment.pending[kind]
}
