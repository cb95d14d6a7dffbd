import type { Clock } from '../../base/clock.ts'

const MARGIN_MS = 5_000

/**
 * The time, ISO 8601, after which a payment service cannot answer any more what it is asked now: its time to
 * answer and 5 s. `requests`: how many follow one another.
 */
export const answerDeadline = (
  { clock, settings }: { clock: Clock; settings: { providerTimeout: number } },
  requests = 1,
): string => new Date(clock.now() + requests * settings.providerTimeout + MARGIN_MS).toISOString()
