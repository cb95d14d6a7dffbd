import { card } from '../railyard.ts'

const { security_code: _, ...withoutCode } = card

/** The body of POST /payouts: 30.00 EUR to the card that is always accepted. */
export const payoutOf = (paymentServiceId: string, more: Record<string, unknown> = {}) => ({
  amount: 30_00,
  currency: 'EUR',
  payment_service_id: paymentServiceId,
  payment_method: withoutCode,
  buyer: { display_name: 'Ada' },
  ...more,
})
