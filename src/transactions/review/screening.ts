import type { ScreenedPayment } from '../../connectors/contract/anti-fraud-connector.ts'
import type { OperationRow } from '../../operations/operation.ts'
import { shownBin } from '../../vault/cards/card.ts'
import { shownFingerprint } from '../../vault/cards/card-fingerprint.ts'
import type { TransactionRow } from '../transaction.row.ts'

/**
 * The payment in the form for an anti-fraud service. Made of the rows alone, so that recovery can screen it
 * again after a crash.
 */
export function paymentForScreening(row: TransactionRow, operation: OperationRow): ScreenedPayment {
  const { payment_method: method, buyer, details } = row
  const billing = buyer?.billing_details ?? null
  return {
    id: operation.id,
    transactionId: row.id,
    amount: operation.amount,
    currency: row.currency,
    method: row.method ?? 'card',
    card: method?.bin
      ? {
          bin: shownBin(method.bin),
          last4: method.label ?? null,
          scheme: method.scheme ?? null,
          fingerprint: shownFingerprint(method.fingerprint),
        }
      : null,
    buyer: buyer && {
      id: buyer.id ?? null,
      name: buyer.display_name ?? null,
      email: billing?.email_address ?? null,
      billing,
    },
    shipping: row.shipping_details,
    lines: details.cart_items ?? [],
    ipAddress: row.ip_address,
    deviceFingerprint: details.anti_fraud_fingerprint ?? null,
    paymentSource: row.payment_source,
    externalIdentifier: row.external_identifier,
  }
}
