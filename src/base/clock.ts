/** Milliseconds since 1970, UTC. The sandbox and tests have clocks of their own. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** The time as the database and the API write it. */
export const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()
