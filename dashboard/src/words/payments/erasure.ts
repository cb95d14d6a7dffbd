export const erasureWords = {
  title: 'Erase personal data',
  ofBuyer: 'Erase the buyer',
  ofPayment: 'Erase the buyer’s data',
  none: 'No erasure was requested.',
  pending: 'The erasure is under way',
  pendingText: (waiting: number) =>
    waiting > 0
      ? `${waiting} of the buyer’s payments, payouts and links wait until what is under way is over. Railyard goes on by itself.`
      : 'Railyard removes the data in the background. This takes a minute or more.',
  pendingPayment: 'An operation of the payment is under way. Railyard erases the data once it is over.',
  succeeded: 'Everything personal is erased',
  succeededText: 'Should a later operation bring something back, that is erased, too.',
  requested: 'Requested',
  completed: 'Completed',
  removed: 'What is removed',
  kept: 'What is kept',
  outside: 'What Railyard cannot erase',
  buyer: {
    removed: [
      'The buyer, with billing and shipping details',
      'Stored payment methods and gift cards, with their tokens',
      'Names, addresses, contact data, metadata, cart texts, IP addresses and browsers of all their payments and payouts, and of guest payments with the same reference',
      'Requests and answers in timelines; return URLs are cut to your site',
      'Open payment links: they expire, and lose the buyer, the message and the metadata',
      'Checkout sessions, and the buyer’s data in events and in webhooks that wait',
      'Files of reports that have columns about buyers or metadata: make them again',
    ],
    kept: [
      'Ids, amounts, currencies, statuses, times and references of payments',
      'First and last digits of cards, and proofs of 3-D Secure',
      'The audit log, which names buyers by their ids',
    ],
  },
  payment: {
    removed: [
      'Names, addresses, contact data, metadata, cart texts, IP address and browser of this payment',
      'Requests and answers in its timeline; return URLs are cut to your site',
      'The same in its events, in webhooks that wait, and in the payment that renewed its authorization',
    ],
    kept: [
      'Its id, amounts, currency, statuses, times and reference',
      'First and last digits of the card, and proofs of 3-D Secure',
      'A stored buyer and their other payments: erase the buyer to remove those, too',
    ],
  },
  outsideList: [
    'Backups, until you delete them',
    'What payment services, anti-fraud services and issuers keep: ask them',
    'Your own systems that received webhooks',
  ],
  erase: 'Erase',
  confirmTitle: 'Erase for good',
  confirmText:
    'The data listed on this page is removed. This cannot be undone, by Railyard’s operators neither.',
  understood: 'I have read what is removed, and it cannot be undone',
  notUnderstood: 'Confirm first that you have read what is removed.',
  started: 'The erasure has begun',
  again: 'Erase again',
  notAllowed: 'Only administrators can erase.',
} as const
