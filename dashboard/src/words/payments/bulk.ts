export const bulkWords = {
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
  title: (action: string, count: number) => `${action} ${count} ${count === 1 ? 'payment' : 'payments'}`,
  texts: {
    capture: 'Takes all money that is authorized and not captured yet.',
    void: 'Releases each authorization of which nothing was captured. This cannot be undone.',
    refund: 'Gives back all captured money of each payment that is left. This cannot be undone.',
  },
  together: 'Amounts of these payments:',
  progress: 'Progress',
  doneOf: (done: number, all: number, failed: number) =>
    `${done} of ${all} done${failed ? `, ${failed} failed` : ''}`,
  refused: (status: string) => `the payment service answered “${status}”`,
  again: 'Try the failed ones again',
} as const
