export const proofWords = {
  title: 'Proof',
  consistent: 'consistent',
  inconsistent: 'inconsistent',
  summary: (operations: number, chain: { intact: boolean; unsealed_operations: number }, checked: string) =>
    [
      `${operations} ${operations === 1 ? 'operation' : 'operations'} recomputed`,
      `chain ${chain.intact ? 'intact' : 'broken'}`,
      ...(chain.unsealed_operations > 0 ? [`${chain.unsealed_operations} not sealed yet`] : []),
      `checked ${checked}.`,
    ].join(', '),
  show: 'Show the journal',
  journal: 'Journal',
  journalText:
    'Every operation that was committed for this payment, the oldest first, with what proves its outcome.',
  finding: (problem: string, stored: string, computed: string) =>
    `${problem}: stored ${stored}, computed ${computed}`,
  open: 'nothing yet',
  noAnswer: 'no answer',
  lookUp: 'look-up',
  outcomeBy: {
    answer: 'the answer of the payment service',
    look_up: 'a look-up in the books of the payment service',
    notification: 'a verified notification',
    correction: 'a correction by a person',
    nothing_sent: 'nothing was sent',
  },
  names: {
    provedBy: 'Proved by',
    service: 'Payment service',
    key: 'Idempotency key',
    intended: 'Committed',
    decided: 'Decided',
    next: 'Next look-up',
    calls: 'Calls',
  },
} as const
