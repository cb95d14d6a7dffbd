export const paymentsOfWords = {
  status: 'Status',
  amount: 'Amount',
  method: 'Method',
  reference: 'Reference',
  created: 'Created',
} as const
