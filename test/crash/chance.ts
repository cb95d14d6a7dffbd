/** A seeded random generator: the same seed gives the same numbers in the same order. */
export interface Chance {
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  /** True with this probability. */
  odds(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** mulberry32: 32 bits of state suffice for a schedule. `stream` separates the draws of workers. */
export function seeded(seed: number, stream = 0): Chance {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    odds: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new RangeError('there is nothing to pick from')
      return item
    },
  }
}
