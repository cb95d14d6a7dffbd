/** Draws numbers from 0 (included) to 1 (not included). */
export type RandomDraw = () => number

/**
 * mulberry32: the same seed and stream give the same numbers in the same order. Each fault has its own
 * stream, so that faults do not affect each other's draws.
 */
export function seededDraw(seed: number, stream: number): RandomDraw {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** How many standard deviations the 99th percentile of a normal distribution lies above its median. */
const P99 = 2.326348

/**
 * A time in milliseconds from a log-normal distribution with this median and 99th percentile, like the
 * response times of a network service.
 */
export function logNormal(
  draw: RandomDraw,
  { p50, p99 }: { p50: number; p99: number },
  most: number,
): number {
  if (p50 === 0) return 0
  // Box and Muller; 1 − u is never 0
  const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  return Math.min(most, Math.round(p50 * Math.exp((Math.log(p99 / p50) / P99) * normal)))
}
