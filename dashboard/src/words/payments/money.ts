export const moneyWords = {
  title: 'Money',
  capture: 'Capture',
  refund: 'Refund',
  dispute: 'Dispute',
  settlement: 'Settlement',
  refundSettlement: 'Refund settled',
  chargeback: 'Chargeback',
  reversal: 'Chargeback reversed',
} as const
