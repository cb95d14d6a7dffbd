/**
 * An exponential back-off in milliseconds: `first` for the first pause (`times` 0), doubled each time, and at
 * most `max`.
 */
export const backOffMs = (times: number, { first, max }: { first: number; max: number }): number =>
  Math.min(first * 2 ** times, max)
