import { createHmac, createSecretKey, randomBytes } from 'node:crypto'

/** How long a value counts: it is forgotten between one and two of these later. */
export const SPAN_MS = 600_000
/** Groups in each of the two spans. Beyond it the older span is forgotten early, so that a flood of values cannot fill the memory. */
const MAX_REMEMBERED = 100_000

/** By group: the one value that was seen, or those that were. Both are keyed hashes. */
type ValueHashes = Map<number, number | number[]>

/**
 * Counts the different values that come for a group, such as the PINs that were tried with one gift card. It counts in the memory of this process, under a key that is made at its
 * start: no value, and nothing that outlives the process, is kept.
 */
export class DistinctValues {
  readonly #clock: { now(): number }
  // as a key object: each payment with a card is hashed, and bare bytes take five times as long
  readonly #key = createSecretKey(randomBytes(32))
  #current: ValueHashes = new Map()
  #previous: ValueHashes = new Map()
  #since: number

  constructor(clock: { now(): number }) {
    this.#clock = clock
    this.#since = clock.now()
  }

  /** Notes a value of a group. False: `most` others were seen, and this one is not noted. A value that was seen before is always taken. */
  take(group: string, value: string, most: number): boolean {
    this.#turn()
    const of = this.#hash(group)
    const hash = this.#hash(`${group}\n${value}`)
    const known = [this.#current.get(of) ?? [], this.#previous.get(of) ?? []].flat()
    if (known.includes(hash)) return true
    if (known.length >= most) return false
    const here = this.#current.get(of)
    this.#current.set(of, here === undefined ? hash : [here, hash].flat())
    return true
  }

  #turn(): void {
    const now = this.#clock.now()
    if (now - this.#since < SPAN_MS && this.#current.size < MAX_REMEMBERED) return
    this.#previous = now - this.#since < 2 * SPAN_MS ? this.#current : new Map()
    this.#current = new Map()
    this.#since = now
  }

  /** 48 bits: few enough for a plain number, and enough to tell a hundred thousand apart. */
  readonly #hash = (text: string): number => createHmac('sha256', this.#key).update(text).digest().readUIntBE(0, 6)
}
