import { createHmac, createSecretKey, randomBytes } from 'node:crypto'

/** The shortest time for which a value counts; it is forgotten before twice this time. */
export const SPAN_MS = 600_000
/**
 * Groups in each of the two spans. Beyond it the older span is forgotten early, so that many values cannot
 * fill the memory.
 */
const MAX_REMEMBERED = 100_000

/** By group: its only value, or its values. Both are keyed hashes. */
type ValueHashes = Map<number, number | number[]>

/**
 * Counts the different values of a group, such as the PINs that were tried with one gift card. It counts in
 * the memory of this process, under a key that is made at its start: neither a value nor a hash that is of
 * use later is stored.
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

  /**
   * Counts a value of a group. False: the group has `most` other values, and this one is not counted. A value
   * that was counted before is always admitted.
   */
  admit(group: string, value: string, most: number): boolean {
    this.#startSpanIfDue()
    const groupHash = this.#hash(group)
    const hash = this.#hash(`${group}\n${value}`)
    const counted = [this.#current.get(groupHash) ?? [], this.#previous.get(groupHash) ?? []].flat()
    if (counted.includes(hash)) return true
    if (counted.length >= most) return false
    const current = this.#current.get(groupHash)
    this.#current.set(groupHash, current === undefined ? hash : [current, hash].flat())
    return true
  }

  #startSpanIfDue(): void {
    const now = this.#clock.now()
    if (now - this.#since < SPAN_MS && this.#current.size < MAX_REMEMBERED) return
    this.#previous = now - this.#since < 2 * SPAN_MS ? this.#current : new Map()
    this.#current = new Map()
    this.#since = now
  }

  /** 48 bits fit into a plain number and distinguish a hundred thousand values. */
  readonly #hash = (text: string): number =>
    createHmac('sha256', this.#key).update(text).digest().readUIntBE(0, 6)
}
