import currencyCodes from 'currency-codes'
import type { DisputeNotice } from '../contract/connector.ts'
import type { Chargeback } from './answer.schema.ts'
import { fromMoney } from './money.ts'

/**
 * What a chargeback tells: the money was taken at once, and no evidence can be submitted. A reversed one tells
 * twice, so that its withdrawal is known before its return.
 */
export function disputesOf(chargeback: Chargeback): DisputeNotice[] {
  const { id, paymentId, amount, createdAt, reversedAt, reason } = chargeback
  const value = currencyCodes.code(amount.currency) && fromMoney(amount, amount.currency)
  if (value === undefined) return []
  const dispute = {
    id,
    payment: paymentId,
    amount: value,
    currency: amount.currency,
    reasonCode: reason?.code ?? null,
    reason: reason?.description ?? null,
    evidenceDueAt: null,
  }
  const withdrawn: DisputeNotice = { ...dispute, status: 'lost', funds: 'withdrawn', occurredAt: createdAt }
  if (!reversedAt) return [withdrawn]
  return [withdrawn, { ...dispute, status: 'won', funds: 'returned', occurredAt: reversedAt }]
}
