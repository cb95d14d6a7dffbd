import type { Call } from '../contract/call.ts'
import { absent, type BookFinding, unsure } from '../contract/outcome.ts'
import type { CheckoutOptions } from './environment.ts'

/**
 * How long nothing must be found of an operation before it counts as absent. The first look comes after the
 * request's time-out; Checkout.com's search and its list of actions may be behind by less than this.
 */
export const ABSENCE_MARGIN_MS = 60_000

/** After this time the first look says nothing of the present: the operation may have been sent again. */
const LONGEST_ABSENCE_MS = 30 * 60_000

/** Before the time in the mark. */
const PREFIX = 'absent-since-'

/** When nothing was found of the operation for the first time; null: no look has found it absent yet. */
const absentSince = ({ operation: { mark } }: Call): number | null =>
  mark?.startsWith(PREFIX) ? Number(mark.slice(PREFIX.length)) : null

/** Nothing is found of an operation: it is absent if that has been so for longer than the margin. */
export async function whenNothingFound(options: CheckoutOptions, call: Call): Promise<BookFinding> {
  const since = absentSince(call)
  const age = since === null ? Number.POSITIVE_INFINITY : options.clock.now() - since
  if (age >= ABSENCE_MARGIN_MS && age < LONGEST_ABSENCE_MS) return absent
  if (age < ABSENCE_MARGIN_MS) return unsure
  // an operation that Checkout.com has accepted takes no mark, and cannot be absent
  await startMargin(options, call).catch(() => undefined)
  return unsure
}

/** Begins the margin anew: now, because nothing was found now or because the operation is sent now. */
export const startMargin = ({ clock }: Pick<CheckoutOptions, 'clock'>, call: Call): Promise<void> =>
  call.commitMark(`${PREFIX}${clock.now()}`)
