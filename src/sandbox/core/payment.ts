import type { OperationKind, OperationStatus, Result } from './operation.ts'

/** A payment in the provider's books, or a payout, by which no money comes in. Amounts count what is approved; what may still come is in `pending`. */
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
  /** Nothing more can be captured: a sale, or a final capture. */
  final: boolean
  authorization_expires_at: string | null
  /** Amounts of pending operations: they count as spent until they are final, or two of them could spend the same money. */
  pending: Partial<Record<OperationKind, number>>
  /** All that is kept of the card. */
  card: CardDigits | null
  notification_url: string | null
  /** What proved the cardholder's authentication; absent where nothing did. */
  three_d_secure?: ReceivedProof
  /** Whose payment it is: the first segment of the provider's paths. */
  provider: string
}

/** As it was shown to the provider. */
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

/** What only the opener of a payment knows; the rest of a payment follows from its operations. */
export type PaymentOpening = Pick<Payment, 'card' | 'notification_url' | 'three_d_secure' | 'provider'>

export function openPayment(service: string, result: Result, opening: PaymentOpening): Payment {
  return {
    payment_id: result.payment_id,
    payment_service_id: service,
    currency: result.currency,
    opened_by: result.key,
    // a payout authorizes nothing, so nothing can follow it
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

/** What an approved operation does to its payment. A cancel moves no money: `releasePending` ends what it cancels. */
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

/** Books a new operation on its payment. Declined and failed ones leave no trace on it. */
export function bookOnPayment(payment: Payment, { kind, status, amount }: Result, final: boolean): void {
  if (status === 'declined' || status === 'failed') return
  if (final) payment.final = true
  if (status === 'pending') payment.pending[kind] = (payment.pending[kind] ?? 0) + amount
  else applyToPayment[kind](payment, amount)
}

/** A pending operation was approved after all. */
export function approvePending(payment: Payment, { kind, amount }: Result): void {
  releasePending(payment, kind, amount)
  applyToPayment[kind](payment, amount)
}

/** A pending operation was refused after all. */
export function refusePending(payment: Payment, { kind, amount }: Result, status: OperationStatus): void {
  releasePending(payment, kind, amount)
  if (kind === 'authorize' || kind === 'sale') payment.authorization = status
}

/** A pending operation has ended, one way or the other: its money is no longer held back. */
export function releasePending(payment: Payment, kind: OperationKind, amount: number): void {
  const left = (payment.pending[kind] ?? 0) - amount
  if (left > 0) payment.pending[kind] = left
  else delete payment.pending[kind]
}
