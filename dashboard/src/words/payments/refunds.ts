import { moneyTitles } from './money-titles.ts'

export const refundWords = {
  title: moneyTitles.refunds,
  about: 'Payments of which money went back, or was to go back. Open one to see its refunds.',
  refund: 'Refund',
  openById: 'Refund id',
  none: 'Nothing was refunded yet',
  noneText: 'Open a payment and choose Refund. Its refunds are then listed here.',
  refunded: 'Refunded',
  captured: 'Captured',
  lastChange: 'Last change',
  refundsOf: 'Refunds of the payment',
  noRefunds: 'This payment has no refunds.',
  others: 'Other refunds of the payment',
  noOthers: 'It is the only one.',
  toPayment: 'Open the payment',
  target: 'Goes back to',
  targets: { 'payment-method': 'the payment method', 'gift-card-redemption': 'a gift card' },
  creator: 'Made by',
  settled: 'Settled',
  status: {
    processing: 'Under way',
    succeeded: 'Refunded',
    failed: 'Failed',
    declined: 'Declined',
    voided: 'Withdrawn',
  },
  next: {
    processing:
      'The payment service has not decided, or its answer was lost. Railyard asks by itself until the outcome is known, and never sends the refund twice.',
    failed: 'No money went back. Refund the payment again once the cause is removed.',
    declined:
      'The payment service refused, and no money went back. Pay the buyer back in another way, or try again later.',
  },
} as const
